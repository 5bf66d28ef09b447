import { bulkSelect, bulkUpdate, type ColumnName } from '../../../database/statements/bulk.ts';
import type { SendingTables } from '../tables.ts';
import { variantStatements } from '../variants/statements.ts';

const KEY = ['scopeId', 'id'] as const;
const OF_SEND = ['scopeId', 'sendId'] as const;
/** The columns of a message that a report reads. */
export const MESSAGE_COLUMNS = [
  ...KEY,
  'sendId',
  'channel',
  'person',
  'status',
  'attempt',
  'fence',
  'deliveredAt',
  'openedAt',
  'clickedAt',
  'lastOpenedAt',
  'lastClickedAt',
  'clickAction',
  'sentAt',
  'machineOpenedAt',
  'machineClickedAt',
  'abTestId',
  'variant',
] as const;

/** Statements of engagement reports. */
export const engagementStatements = (tables: SendingTables) => {
  const { sends, messages } = tables;
  const first = (id: string, column: string, set: Partial<Record<keyof typeof messages.$inferInsert, 'value'>>) =>
    bulkUpdate(id, messages, { where: KEY, set, when: (name) => `${name(column)} is null`, isGuarded: true });
  const isSent = (name: ColumnName): string => `${name('status')} = 'sent'`;
  return {
    variants: variantStatements(tables),
    send: bulkSelect('sending.engaged_send', sends, KEY, [
      ...KEY,
      'channel',
      'tokenCount',
      'targeted',
      'dueAt',
      'workflowRunId',
      'stepPath',
    ]),
    message: bulkSelect('sending.engaged_message', messages, KEY, MESSAGE_COLUMNS),
    messagesOf: bulkSelect('sending.engaged_messages', messages, OF_SEND, MESSAGE_COLUMNS, undefined, 2),
    count: bulkUpdate('sending.count_engagement', sends, {
      where: KEY,
      set: {
        delivered: 'add',
        opened: 'add',
        uniqueOpened: 'add',
        clicked: 'add',
        uniqueClicked: 'add',
        machineOpened: 'add',
        reportedAt: 'null',
      },
    }),
    delivered: first('sending.first_delivered', 'delivered_at', { deliveredAt: 'value' }),
    opened: first('sending.first_opened', 'opened_at', { openedAt: 'value', lastOpenedAt: 'value' }),
    clicked: first('sending.first_clicked', 'clicked_at', {
      clickedAt: 'value',
      clickAction: 'value',
      lastClickedAt: 'value',
    }),
    /** Guarded by the last time that was read: of two racing reports one wins. */
    openedAgain: bulkUpdate('sending.opened_again', messages, {
      where: [...KEY, 'lastOpenedAt'],
      set: { lastOpenedAt: 'value' },
      isGuarded: true,
    }),
    clickedAgain: bulkUpdate('sending.clicked_again', messages, {
      where: [...KEY, 'lastClickedAt'],
      set: { lastClickedAt: 'value' },
      isGuarded: true,
    }),
    firstMachineOpen: bulkUpdate('sending.first_machine_open', messages, {
      where: KEY,
      set: { machineReason: 'keep', machineOpenedAt: 'value' },
      when: (name) => `${name('machine_opened_at')} is null`,
      isGuarded: true,
    }),
    machineOpenedAgain: bulkUpdate('sending.machine_opened_again', messages, {
      where: [...KEY, 'machineOpenedAt'],
      set: { machineOpenedAt: 'value' },
      isGuarded: true,
    }),
    machineClicked: bulkUpdate('sending.machine_clicked', messages, {
      where: KEY,
      set: { machineReason: 'keep', machineClickedAt: 'greatest' },
    }),
    /**
     * Only if the message is sent: a receipt can arrive before the gateway's own answer, which then decides the status.
     */
    deliver: bulkUpdate('sending.deliver', messages, { where: KEY, set: { status: 'value' }, when: isSent }),
  };
};
