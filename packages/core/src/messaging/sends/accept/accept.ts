import { type Write, write } from '../../../database/commit/write-set.ts';
import { derivedId } from '../../../foundation/derived-id.ts';
import type { Ids } from '../../../foundation/ids.ts';
import { type InScope, scopeOf } from '../../../foundation/scope.ts';
import type { CatalogEvent, HasSubscribers } from '../../../people/events/emit.ts';
import type { ProfileView } from '../../../people/profiles/view.ts';
import type { Channels } from '../channel.ts';
import type { MessageChange } from '../finalize/change.ts';
import { createdChange } from '../finalize/outcome.ts';
import { eventOfSendEnding, NO_RECIPIENTS_ENDING, onlyUserOf } from '../finalize/send-endings.ts';
import { messageRows, type NewMessage, suppressedIn } from '../rows.ts';
import {
  MAX_INLINE,
  MESSAGES_QUEUE,
  NO_RECIPIENTS,
  SENDS_QUEUE,
  type SendRequest,
  type SuppressionReason,
} from '../schema.ts';
import type { SendingStatements } from '../statements.ts';
import type { MessageRow, SendRow } from '../store.ts';
import type { SendLookup } from './send-lookup.ts';

const propertiesOf = {
  'push.send_requested': ({ id: sendId }: SendRow) => ({ sendId }),
  'push.scheduled': ({ id: sendId, scheduledFor }: SendRow) => ({
    sendId,
    scheduledFor: scheduledFor?.toISOString() ?? null,
  }),
} as const;

/**
 * The catalog events of an accepted send that have subscribers. The event of a send to one user belongs to that user;
 * any other send raises one event without a user, whatever the number of recipients. A send without recipients also
 * raises its end. Throws nothing.
 */
const eventsOfSend = (
  scope: InScope,
  row: SendRow,
  { recipients, depth = 0, budget }: SendRequest,
  hasSubscribers: HasSubscribers,
): readonly CatalogEvent[] => {
  if (row.channel !== 'push') return [];
  const names = (['push.send_requested', 'push.scheduled'] as const).filter(
    (name) => hasSubscribers(scope, name) && (name !== 'push.scheduled' || row.scheduledFor !== null),
  );
  const person = onlyUserOf(recipients);
  const accepted = names.map(
    (name): CatalogEvent => ({
      id: derivedId(row.createdAt, `${name}/${row.id}`),
      name,
      scope,
      person,
      properties: propertiesOf[name](row),
      at: row.createdAt,
      depth,
      budget,
    }),
  );
  if (row.errorCode !== NO_RECIPIENTS.errorCode) return accepted;
  const ended = eventOfSendEnding(row, NO_RECIPIENTS_ENDING, row.createdAt, { depth, budget });
  return ended ? [...accepted, ended] : accepted;
};

/** A send that is accepted when its writes are committed. */
export type PlannedSend = {
  readonly sendId: string;
  /** `suppressed` if no recipient can be reached or there are no recipients. */
  readonly status: 'queued' | 'suppressed';
  /** For a suppressed send: `no_recipients`, or the reason of its first message. */
  readonly reason: SuppressionReason | 'no_recipients' | null;
  readonly row: SendRow;
  /** Messages made at acceptance; empty if the worker expands the send. */
  readonly messages: readonly MessageRow[];
  /** Messages that ended at creation. The caller commits their reactions in the same transaction as `writes`. */
  readonly changes: readonly MessageChange[];
  readonly writes: readonly Write[];
  readonly wakes: readonly string[];
};

/** What a plan needs to have read. */
export type PlanView = {
  /** By `personKey`. */
  readonly profiles: ReadonlyMap<string, ProfileView>;
  readonly lookup: SendLookup;
  /** Number of addresses of a send that the worker expands; default: one per recipient. */
  readonly addressCount?: number;
};

export type PlanSend = (scope: InScope, request: SendRequest, view: PlanView, now: Date, ids: Ids) => PlannedSend;

/** When a scheduled send starts; null: now. Throws nothing. */
export const laterOf = ({ scheduledFor }: SendRequest, now: Date): Date | null =>
  scheduledFor && scheduledFor > now ? scheduledFor : null;

/** True for a send to an audience, whose members are read at expansion. Throws nothing. */
export const isForAudience = ({ audienceId }: SendRequest): boolean => (audienceId ?? null) !== null;

/** True if the worker expands the recipients, whatever the number of their addresses. Throws nothing. */
export const isForWorker = (request: SendRequest, now: Date): boolean =>
  request.recipients.length > MAX_INLINE || isForAudience(request) || laterOf(request, now) !== null;

const endOf = (
  total: number | null,
  messages: readonly NewMessage[],
  isExpanded: boolean,
): Pick<PlannedSend, 'status' | 'reason'> & { errorCode: string | null } => {
  if (total === 0) return { status: 'suppressed', reason: NO_RECIPIENTS.errorCode, ...NO_RECIPIENTS };
  const isOver = isExpanded && suppressedIn(messages).length === messages.length;
  if (!isOver) return { status: 'queued', reason: null, errorCode: null };
  return { status: 'suppressed', reason: messages[0]?.reason ?? null, errorCode: null };
};

/**
 * Makes the pure function that turns a request into writes: one send row, and one message row per address if the send
 * starts now and has at most 100 recipients with at most 500 addresses. The worker makes the messages of other sends. A
 * second commit with the same (workflowRunId, stepPath) violates a unique key.
 */
export const planSends =
  (hot: SendingStatements, channels: Channels): PlanSend =>
  (scope, request, { profiles, lookup, addressCount }, now, ids) => {
    const { recipients } = request;
    const later = laterOf(request, now);
    const found = lookup.addresses(request.channel);
    const isBulk = isForAudience(request);
    const isInline = !isBulk && (recipients.length === 0 || (found !== null && !isForWorker(request, now)));
    const sendId = request.id ?? ids.next();
    const messages = isInline
      ? messageRows({
          scope,
          sendId,
          isBulk: false,
          channelName: request.channel,
          channel: channels[request.channel],
          content: request.content,
          recipients,
          profiles,
          loaded: found ?? new Map(),
          usedKeys: new Set(),
          now,
          ids,
        })
      : [];
    const ended = suppressedIn(messages);
    const { workflowRunId: runId, stepPath: path } = request;
    const step = runId === undefined || path === undefined ? null : { runId, path };
    const { status, reason, errorCode } = endOf(isBulk ? null : recipients.length, messages, isInline);
    const row: SendRow = {
      ...scopeOf(scope),
      id: sendId,
      channel: request.channel,
      status,
      source: request.source,
      class: request.class,
      title: request.title,
      workflowRunId: request.workflowRunId ?? null,
      stepPath: request.stepPath ?? null,
      templateId: request.templateId ?? null,
      templateVersion: request.templateVersion ?? null,
      content: request.content,
      variables: request.variables,
      // Recipients that already are messages are not stored twice.
      recipients: isInline ? [] : recipients,
      expandedRecipients: isInline ? recipients.length : 0,
      expandedAddress: null,
      audienceId: request.audienceId ?? null,
      sealed: null,
      expandedPerson: null,
      tokenCount: isInline ? messages.length : (addressCount ?? recipients.length),
      targeted: messages.length,
      sent: 0,
      failed: 0,
      bounced: 0,
      suppressed: ended.length,
      deferred: 0,
      delivered: 0,
      opened: 0,
      uniqueOpened: 0,
      machineOpened: 0,
      clicked: 0,
      uniqueClicked: 0,
      category: request.category ?? null,
      abTestId: request.abTestId ?? null,
      hasMailPermit: request.hasMailPermit ?? false,
      tags: request.tags ?? {},
      error: null,
      errorCode,
      scheduledFor: status === 'queued' ? later : null,
      createdAt: now,
      startedAt: null,
      finishedAt: status === 'queued' ? null : now,
      cancelledAt: null,
      reportedCounts: null,
      reportedAt: null,
      dueAt: isInline ? null : (later ?? now),
      leaseUntil: null,
      fence: 0,
    };
    const { hasSubscribers, emit } = lookup.emission;
    const emitted = eventsOfSend(scope, row, request, hasSubscribers).map(emit);
    const isDue = messages.some(({ dueAt }) => dueAt !== null);
    return {
      sendId,
      status,
      reason,
      row,
      messages,
      changes: ended.map((message) => createdChange(message, step)),
      writes: [
        write(hot.insertSend, row),
        ...(request.sealed === undefined
          ? []
          : [write(hot.seal, { ...scopeOf(scope), id: sendId, sealed: request.sealed })]),
        ...messages.map((message) => write(hot.insertMessage, message)),
        ...emitted.flatMap(({ writes }) => writes),
      ],
      wakes: [
        ...(isInline ? [] : [SENDS_QUEUE]),
        ...(isDue ? [MESSAGES_QUEUE] : []),
        ...emitted.flatMap(({ wakes }) => wakes),
      ],
    };
  };
