import { bulkSelect, bulkUpdate, type ColumnName } from '../../../database/statements/bulk.ts';
import type { MessageRow, SendRow } from '../store.ts';
import type { SendingTables } from '../tables.ts';

const KEY = ['scopeId', 'id'] as const;
const COLUMNS = [
  ...KEY,
  'sendId',
  'channel',
  'person',
  'address',
  'addressName',
  'tokenId',
  'facts',
  'status',
  'reason',
  'errorCode',
  'error',
  'providerId',
  'attempt',
  'fence',
  'createdAt',
  'deliveredAt',
  'complainedAt',
  'finishedAt',
] as const;

/** The columns of a message that its reports are evaluated against. */
export type ReportedRow = Pick<MessageRow, (typeof COLUMNS)[number]> & Pick<SendRow, 'workflowRunId' | 'stepPath'>;

/** Push reports use Beckon's ids; the ids of push providers are in no index. */
const isIndexed = (column: ColumnName): string =>
  `${column('provider_id')} is not null and ${column('channel')} <> 'push'`;

/** Statements of provider reports. */
export const reportStatements = ({ sends, messages }: SendingTables) => ({
  byId: bulkSelect('sending.reported_message', messages, KEY, COLUMNS),
  byProviderId: bulkSelect(
    'sending.reported_by_provider',
    messages,
    ['scopeId', 'channel', 'providerId'],
    COLUMNS,
    isIndexed,
  ),
  sends: bulkSelect('sending.reported_send', sends, KEY, [...KEY, 'workflowRunId', 'stepPath']),

  count: bulkUpdate('sending.count_report', sends, {
    where: KEY,
    set: { sent: 'add', delivered: 'add', failed: 'add', bounced: 'add', reportedAt: 'null' },
    isOrdered: true,
  }),
  /** Guarded by the status that was evaluated. */
  report: bulkUpdate('sending.report', messages, {
    where: [...KEY, 'status'],
    set: {
      status: 'value',
      reason: 'value',
      errorCode: 'value',
      error: 'value',
      deliveredAt: 'value',
      finishedAt: 'value',
    },
    isGuarded: true,
    isOrdered: true,
  }),
  /** For a text message whose worker got no answer; a worker that still has it in hand finds its lease gone. */
  tookAfterAll: bulkUpdate('sending.took_after_all', messages, {
    where: [...KEY, 'status'],
    set: {
      status: 'value',
      reason: 'value',
      errorCode: 'value',
      error: 'value',
      providerId: 'keep',
      sentAt: 'value',
      deliveredAt: 'value',
      finishedAt: 'value',
      dueAt: 'null',
      leaseUntil: 'null',
    },
    isGuarded: true,
    isOrdered: true,
  }),
  /** For a send that counted as failed until its provider reported. */
  sentAfterAll: bulkUpdate('sending.sent_after_all', sends, {
    where: KEY,
    set: { status: 'value' },
    when: (column) => `${column('status')} = 'failed' and ${column('sent')} > 0`,
    isOrdered: true,
  }),
  complained: bulkUpdate('sending.first_complained', messages, {
    where: KEY,
    set: { complainedAt: 'value' },
    when: (column) => `${column('complained_at')} is null`,
    isGuarded: true,
  }),
});
