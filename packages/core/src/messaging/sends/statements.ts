import { bulkInsert, bulkSelect, bulkUpdate, type ColumnName, type SetVerb } from '../../database/statements/bulk.ts';
import { claimable } from '../../database/statements/claim.ts';
import { MESSAGES_QUEUE } from './schema.ts';
import type { MessageRow } from './store.ts';
import type { SendingTables } from './tables.ts';

const SCOPE = ['scopeId'] as const;
const KEY = [...SCOPE, 'id'] as const;

/** Columns written when a message is created; the others have defaults. */
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

/** Columns that delivery does not need: mostly those of later reports. */
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

/** A message as its lease returns it. */
export type LeasedRow = Omit<MessageRow, (typeof NOT_LEASED)[number]>;

/**
 * The queue of due messages. Messages of bulk sends are claimed after others that become due within ten minutes of
 * them. Chosen: ten minutes.
 */
export const messageQueue = ({ messages }: SendingTables) =>
  claimable(MESSAGES_QUEUE, messages, { priorities: { column: 'priority', delayMs: 600_000 }, without: NOT_LEASED });

const isOpen = (column: ColumnName): string => `${column('status')} in ('queued', 'sending')`;
const isCancellable = (column: ColumnName): string => `${column('status')} in ('queued', 'deferred')`;
/** Nothing is left to expand and every message has ended. */
const isOver = (column: ColumnName): string =>
  `${isOpen(column)} and ${column('due_at')} is null and ` +
  `${column('sent')} + ${column('failed')} + ${column('suppressed')} >= ${column('targeted')}`;

/** Statements of acceptance, expansion, handover and outcomes. */
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
  /** Ends the lease and requires it, so that a commit whose answer was lost is not counted twice. */
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

    /** Stores the variant chosen before the handover, for later attempts. */
    assign: bulkUpdate('sending.assign', messages, {
      where: [...KEY, 'fence'],
      set: { abTestId: 'value', variant: 'value', abTestUnit: 'value' },
    }),
    /** Handover: from here on the message counts as given to its provider. */
    handOver: handOver('sending.hand_over', {}),
    /** Handover that also stores the variant: one row update instead of two. */
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
    /** The most frequent result, with the fewest values: the provider accepted the message. */
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
    /** Makes a message due later, unchanged. No attempt was made, so there are no reactions. */
    putOff: bulkUpdate('sending.put_off', messages, {
      where: [...KEY, 'fence'],
      set: { reason: 'value', dueAt: 'value', deferredUntil: 'greatest', leaseUntil: 'null' },
      when: (column) => `${column('status')} in ('queued', 'deferred', 'sending')`,
    }),
    /** The first handover of a send prevents cancelling it; a cancelled send is not handed over. */
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

    /** Cancels a send without handovers; a cancel and a handover exclude each other. */
    cancelSend: cancel('sending.cancel_send', KEY),
    /** Cancels a send without open messages, unless messages were made meanwhile. */
    cancelUnsent: cancel('sending.cancel_unsent', [...KEY, 'targeted']),
    /** Cancels all open messages of a cancelled send by one row. */
    cancelMessages: bulkUpdate('sending.cancel_messages', messages, {
      where: [...SCOPE, 'sendId'],
      set: { status: 'value', finishedAt: 'value', dueAt: 'null' },
      when: isCancellable,
    }),

    /** One chunk of an expansion, after the earlier ones; the lease stays. */
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
    /** Makes a send due later: nothing can be expanded yet. */
    putOffSend: bulkUpdate('sending.put_off_send', sends, {
      where: [...KEY, 'fence'],
      set: { dueAt: 'value', leaseUntil: 'null' },
      when: isOpen,
    }),
    /** Ends the expansion: it is complete, or the send was cancelled or dead-lettered. */
    close: bulkUpdate('sending.close', sends, {
      where: [...KEY, 'fence'],
      set: { dueAt: 'null', leaseUntil: 'null' },
    }),
    /** Counts recipients that never became messages. */
    deadLetter: bulkUpdate('sending.give_up', sends, {
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
      'source',
    ]),

    cancellableMessages: bulkSelect(
      'sending.cancellable_messages',
      messages,
      [...SCOPE, 'sendId'],
      [...KEY, 'sendId', 'channel', 'person', 'status', 'attempt', 'fence'],
      isCancellable,
    ),
    messagePeople: bulkSelect('sending.message_people', messages, KEY, [...KEY, 'person']),
    insertOutboxMessage: bulkInsert('sending.insert_sandbox_message', outboxMessages, [
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
