import { bulkDelete, bulkInsert, bulkUpdate } from '../../database/statements/bulk.ts';
import type { AiTables } from './tables.ts';

const KEY = ['scopeId', 'id', 'fence'] as const;

/** Statements of the queue of model calls. */
export const aiStatements = ({ aiCalls }: AiTables) => ({
  ask: bulkInsert('ai.ask', aiCalls, ['scopeId', 'id', 'runId', 'path', 'attempt', 'tries', 'dueAt', 'fence']),
  /** Guarded by the fence: only one worker resumes the run. */
  end: bulkDelete('ai.end', aiCalls, { where: KEY, isGuarded: true }),
  putOff: bulkUpdate('ai.put_off', aiCalls, {
    where: KEY,
    set: { dueAt: 'value', tries: 'value', leaseUntil: 'null' },
    isGuarded: true,
  }),
});

export type AiStatements = ReturnType<typeof aiStatements>;
