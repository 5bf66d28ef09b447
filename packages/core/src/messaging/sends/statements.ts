import { bulkInsert, bulkSelect, bulkUpdate, type ColumnName, type SetVerb } from '../../database/statements/bulk.ts';
import { claimable } from '../../database/statements/claim.ts';
import { MESSAGES_QUEUE } from './schema.ts';
import type { MessageRow } from './store.ts';
import type { SendingTables } from './tables.ts';

const SCOPE = ['scopeId'] as const;
const KEY = [...SCOPE, 'id'] as const;

/** What of a message is written as it is made; the rest has its defaults. */
export const MESSAGE_COLUMNS = [
  ...KEY,
  'sendId',
  'channel',
  'person',
  'address',
  'addressName',
  'tokenId',
  'facts',
  'role',
  'status',
  'reason',
  'attempt',
  'createdAt',
  'finishedAt',
  'priority',
  'dueAt',
  'fence',
] as const;

/** What of a message does not matter to whoever sends it: mostly what becomes of it afterwards. */
const NOT_LEASED = [
  'reason',
  'errorCode',
  'error',
  'provider',
  'providerId',
  'sentAt',
  'deliveredAt',
  'openedAt',
  'clickedAt',
  'lastOpenedAt',
  'lastClickedAt',
  'clickAction',
  'machineReason',
  'machineOpenedAt',
  'machineClickedAt',
  'complainedAt',
  'unsubscribedAt',
  'abTestId',
  'abTestUnit',
  'convertedAt',
  'finishedAt',
  'dueAt',
  'leaseUntil',
] as const;

/** A message as whoever sends it has it. */
export type LeasedRow = Omit<MessageRow, (typeof NOT_LEASED)[number]>;

/** Messages that are due. Those of sends to many stand behind the others that come due within ten minutes of them; ours. */
export const messageQueue = ({ messages }: SendingTables) =>
  claimable(MESSAGES_QUEUE, messages, { priorities: { column: 'priority', delayMs: 600_000 }, without: NOT_LEASED });

const isOpen = (column: ColumnName): string => `${column('status')} in ('queued', 'sending')`;
const isCancellable = (column: ColumnName): string => `${column('status')} in ('queued', 'deferred')`;
/** Nothing is left to expand, and every message has ended. */
const isOver = (column: ColumnName): string =>
  `${isOpen(column)} and ${column('due_at')} is null and ` +
  `${column('sent')} + ${column('failed')} + ${column('suppressed')} >= ${column('targeted')}`;

/** The statements of acceptance, expansion, handover and outcomes. */
export const sendingStatements = ({ sends, messages, outboxMessages }: SendingTables) => {
  const finish = (id: string, when: (column: ColumnName) => string) =>
    bulkUpdate(id, sends, {
      where: KEY,
      set: { status: 'value', finishedAt: 'value', sealed: 'null' },
      when: (column) => `${isOver(column)} and ${when(column)}`,
    });
  const cancel = (id: string, where: readonly ((typeof KEY)[number] | 'targeted')[]) =>
    bulkUpdate(id, sends, {
      where: [...where],
      set: { status: 'value', cancelledAt: 'value', finishedAt: 'value', dueAt: 'null', sealed: 'null' },
      when: (column) => `${column('status')} = 'queued' and ${column('started_at')} is null`,
      isGuarded: true,
    });
  const handOver = (id: string, more: { [Key in 'abTestId' | 'variant' | 'abTestUnit']?: 'value' }) =>
    bulkUpdate(id, messages, {
      where: [...KEY, 'fence'],
      set: { status: 'value', attempt: 'increment', provider: 'value', ...more },
      when: (column) => `${column('status')} in ('queued', 'deferred', 'sending')`,
      isGuarded: true,
    });
  /** Ends the lease and needs one, so that a commit that took place and was not answered is not counted a second time. */
  const finalizeStatement = (id: string, set: { [Key in keyof MessageRow]?: SetVerb }) =>
    bulkUpdate(id, messages, {
      where: [...KEY, 'fence'],
      set: { ...set, leaseUntil: 'null' },
      when: (column) => `${column('lease_until')} is not null`,
      isGuarded: true,
    });
  return {
    insertSend: bulkInsert('sending.insert_send', sends, [
      ...KEY,
      'channel',
      'status',
      'source',
      'class',
      'title',
      'workflowRunId',
      'stepPath',
      'templateId',
      'templateVersion',
      'content',
      'variables',
      'recipients',
      'audienceId',
      'expandedRecipients',
      'tokenCount',
      'targeted',
      'sent',
      'failed',
      'bounced',
      'suppressed',
      'deferred',
      'delivered',
      'opened',
      'uniqueOpened',
      'machineOpened',
      'clicked',
      'uniqueClicked',
      'category',
      'abTestId',
      'hasMailPermit',
      'tags',
      'error',
      'errorCode',
      'scheduledFor',
      'createdAt',
      'finishedAt',
      'dueAt',
      'fence',
    ]),
    /** Sealed values of a send that is inserted in the same commit. */
    seal: bulkUpdate('sending.seal', sends, { where: KEY, set: { sealed: 'value' } }),
    insertMessage: bulkInsert('sending.insert_message', messages, MESSAGE_COLUMNS),

    /** What was chosen when the message was looked at, kept for the next time. */
    assign: bulkUpdate('sending.assign', messages, {
      where: [...KEY, 'fence'],
      set: { abTestId: 'value', variant: 'value', abTestUnit: 'value' },
    }),
    /** Handover: from here on a message counts as given to its provider. */
    handOver: handOver('sending.hand_over', {}),
    /** The same of one whose variant is kept with it: one change of its row in place of two. */
    handOverAs: handOver('sending.hand_over_as', { abTestId: 'value', variant: 'value', abTestUnit: 'value' }),
    /** The result of an attempt, or the verdict of a gate. */
    finalizeStatement: finalizeStatement('sending.settle', {
      status: 'value',
      attempt: 'value',
      reason: 'value',
      errorCode: 'value',
      error: 'value',
      providerId: 'value',
      deferredAt: 'keep',
      deferredUntil: 'greatest',
      sentAt: 'value',
      finishedAt: 'value',
      dueAt: 'value',
    }),
    /** The result of most attempts, with as few values as it takes: its provider has it. */
    finalizeSent: finalizeStatement('sending.settle_sent', {
      status: 'value',
      attempt: 'value',
      reason: 'null',
      errorCode: 'null',
      error: 'null',
      providerId: 'value',
      sentAt: 'value',
      finishedAt: 'value',
      dueAt: 'null',
    }),
    /** Comes again later, as it is: no attempt was made, so there is nothing that anybody reacts to. */
    putOff: bulkUpdate('sending.put_off', messages, {
      where: [...KEY, 'fence'],
      set: { reason: 'value', dueAt: 'value', deferredUntil: 'greatest', leaseUntil: 'null' },
      when: (column) => `${column('status')} in ('queued', 'deferred', 'sending')`,
    }),
    /** The first handover of a send closes the door to cancelling it; a cancelled one lets nothing through. */
    claimSend: bulkUpdate('sending.claim_send', sends, {
      where: KEY,
      set: { status: 'value', startedAt: 'keep' },
      when: isOpen,
      isGuarded: true,
      isOrdered: true,
    }),
    count: bulkUpdate('sending.count', sends, {
      where: KEY,
      set: {
        sent: 'add',
        failed: 'add',
        bounced: 'add',
        suppressed: 'add',
        deferred: 'add',
        errorCode: 'keep',
        error: 'keep',
        reportedAt: 'null',
      },
      isOrdered: true,
    }),
    finishSent: finish('sending.finish_sent', (column) => `${column('sent')} > 0`),
    finishFailed: finish('sending.finish_failed', (column) => `${column('sent')} = 0 and ${column('failed')} > 0`),
    finishSuppressed: finish(
      'sending.finish_suppressed',
      (column) => `${column('sent')} = 0 and ${column('failed')} = 0`,
    ),

    /** Of which nothing was handed over: it and a handover exclude each other. */
    cancelSend: cancel('sending.cancel_send', KEY),
    /** The same of one without open messages, as long as none were made meanwhile. */
    cancelUnsent: cancel('sending.cancel_unsent', [...KEY, 'targeted']),
    /** All messages of a cancelled send that have not ended, by one row. */
    cancelMessages: bulkUpdate('sending.cancel_messages', messages, {
      where: [...SCOPE, 'sendId'],
      set: { status: 'value', finishedAt: 'value', dueAt: 'null' },
      when: isCancellable,
    }),

    /** One chunk of an expansion, behind what was made before it; the lease stays. */
    advance: bulkUpdate('sending.advance', sends, {
      where: [...KEY, 'fence', 'expandedRecipients'],
      set: {
        expandedRecipients: 'value',
        expandedAddress: 'value',
        expandedPerson: 'value',
        reportedAt: 'null',
        tokenCount: 'value',
        targeted: 'add',
        suppressed: 'add',
      },
      when: isOpen,
      isGuarded: true,
    }),
    /** Comes again later: nothing of it can be expanded yet. */
    putOffSend: bulkUpdate('sending.put_off_send', sends, {
      where: [...KEY, 'fence'],
      set: { dueAt: 'value', leaseUntil: 'null' },
      when: isOpen,
    }),
    /** The expansion is over: it is complete, or the send was cancelled or given up. */
    close: bulkUpdate('sending.close', sends, {
      where: [...KEY, 'fence'],
      set: { dueAt: 'null', leaseUntil: 'null' },
    }),
    /** Counts recipients that never became messages. */
    giveUp: bulkUpdate('sending.give_up', sends, {
      where: [...KEY, 'fence'],
      set: {
        expandedRecipients: 'value',
        targeted: 'add',
        failed: 'add',
        errorCode: 'keep',
        error: 'keep',
        reportedAt: 'null',
      },
      when: isOpen,
    }),

    sendStates: bulkSelect('sending.send_states', sends, KEY, [...KEY, 'status']),
    sendContents: bulkSelect('sending.send_contents', sends, KEY, [
      ...KEY,
      'content',
      'variables',
      'class',
      'category',
      'abTestId',
      'workflowRunId',
      'stepPath',
      'hasMailPermit',
      'sealed',
    ]),

    cancellableMessages: bulkSelect(
      'sending.cancellable_messages',
      messages,
      [...SCOPE, 'sendId'],
      [...KEY, 'sendId', 'channel', 'person', 'status', 'attempt', 'fence'],
      isCancellable,
    ),
    messagePeople: bulkSelect('sending.message_people', messages, KEY, [...KEY, 'person']),
    insertSandboxMessage: bulkInsert('sending.insert_sandbox_message', outboxMessages, [
      ...KEY,
      'channel',
      'sendId',
      'messageId',
      'userId',
      'address',
      'content',
      'createdAt',
    ]),
  };
};

export type SendingStatements = ReturnType<typeof sendingStatements>;
