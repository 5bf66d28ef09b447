import { bulkDelete, bulkInsert, bulkUpdate } from '../../database/statements/bulk.ts';
import { bulkReserved, bulkTake } from './slot-statements.ts';
import type { CapTables } from './tables.ts';

const PERSON = ['scopeId', 'person'] as const;
const ENTRY_KEY = ['scopeId', 'person', 'rule', 'sendId'] as const;
const SLOTS = { of: ['scopeId', 'person', 'rule'], by: 'sendId', until: 'expiresAt' } as const;

/** Statements of handovers and rejections. */
export const capStatements = ({ capEntries, capLocks }: CapTables) => ({
  /** Leaves an existing row unchanged and locks it until the transaction ends. */
  lock: bulkInsert('caps.lock', capLocks, PERSON, { conflict: { target: PERSON, set: ['person'] }, isOrdered: true }),
  take: bulkTake('caps.take', capEntries, { ...SLOTS, tally: 'handovers', isGuarded: true }),
  reserved: bulkReserved('caps.taken', capEntries, SLOTS),
  giveBack: bulkUpdate('caps.let_go', capEntries, { where: ENTRY_KEY, set: { handovers: 'add' }, isOrdered: true }),
  deleteEmpty: bulkDelete('caps.release', capEntries, {
    where: ENTRY_KEY,
    when: (column) => `${column('handovers')} <= 0`,
  }),
});

export type CapStatements = ReturnType<typeof capStatements>;
