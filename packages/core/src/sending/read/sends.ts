import type { DryRun, Message, Page, PageQuery, Send, SendsApi } from '../../api.ts';
import { notFound, validationError } from '../../errors.ts';
import { decodeCursor, pageLimit, pageOf } from '../../primitives/page.ts';
import { type Person, userIdOf } from '../../primitives/person.ts';
import { type InScope, type Scope, scopeKey } from '../../primitives/scope.ts';
import { MESSAGE_STATUSES, SEND_STATUSES } from '../schema.ts';
import type { MessageRow, SendingStore, SendRow } from '../store.ts';
import { byName, countBy } from './count-by.ts';

/** Messages of a send that are counted one by one when it is read; ours: some 10 ms. */
const MAX_COUNTED = 10_000;

/** A send as the world sees it. Of a cancelled one nothing is queued. */
export const viewOfSend = (scope: Scope, row: SendRow): Send => {
  const { targeted, sent, failed, bounced, suppressed, delivered, opened, clicked, uniqueOpened, uniqueClicked } = row;
  const isCancelled = row.status === 'cancelled';
  return {
    id: row.id,
    orgId: scope.orgId,
    projectId: scope.projectId,
    environment: scope.environment,
    channel: row.channel,
    status: row.status,
    source: row.source,
    class: row.class,
    title: row.title,
    category: row.category,
    tags: row.tags,
    tokenCount: row.tokenCount,
    workflowRunId: row.workflowRunId,
    stepPath: row.stepPath,
    scheduledFor: row.scheduledFor,
    createdAt: row.createdAt,
    startedAt: row.claimedAt,
    finishedAt: row.finishedAt,
    cancelledAt: row.cancelledAt,
    counts: {
      targeted,
      queued: isCancelled ? 0 : targeted - sent - failed - suppressed,
      sent,
      delivered,
      bounced,
      failed: failed - bounced,
      suppressed,
      opened,
      clicked,
      uniqueOpened,
      uniqueClicked,
    },
    error: row.error,
    errorCode: row.errorCode,
  };
};

const DATES = ['scheduledFor', 'createdAt', 'startedAt', 'finishedAt', 'cancelledAt'] as const;

/** The answer to a send as it was before it became JSON. */
export const answerOfJson = (stored: unknown): Send | DryRun => {
  // Safe: what is stored of a send is what `submit` answered.
  const answer = stored as Send | DryRun;
  if ('dryRun' in answer) return answer;
  const dates = DATES.map((name) => [name, answer[name] === null ? null : new Date(answer[name])]);
  return { ...answer, ...Object.fromEntries(dates) };
};

const viewOfMessage = (row: MessageRow): Message => ({
  id: row.id,
  sendId: row.sendId,
  channel: row.channel,
  userId: row.person === null ? null : userIdOf(row.person),
  address: row.address,
  platform: row.facts.platform ?? null,
  role: row.role,
  status: row.status,
  reason: row.reason,
  errorCode: row.errorCode,
  error: row.error,
  providerId: row.providerId,
  attempt: row.attempt,
  createdAt: row.createdAt,
  // While a worker has it in hand this is the end of its lease, a few seconds ahead.
  deferredUntil: row.status === 'deferred' ? row.dueAt : null,
  sentAt: row.sentAt,
  deliveredAt: row.deliveredAt,
  openedAt: row.openedAt,
  clickedAt: row.clickedAt,
  clickAction: row.clickAction,
});

const statusIn = <Status extends string>(known: readonly Status[], asked: Status | undefined): Status | null => {
  if (asked === undefined) return null;
  const status = known.find((one) => one === asked);
  if (status === undefined) throw validationError({ status: [`must be one of ${known.join(', ')}`] });
  return status;
};

const placeOf = (binding: string, { limit, cursor }: PageQuery) => ({
  limit: pageLimit(limit),
  after: cursor === undefined ? null : decodeCursor(binding, cursor),
});

/** Messages of one person, newest first; an unknown person has none. */
export type MessagesFor = (scope: InScope, person: Person, query?: PageQuery) => Promise<Page<Message>>;

/** Reads of sends and their messages. */
export const sendReads = (
  store: SendingStore,
): { readonly api: Omit<SendsApi, 'cancel' | 'health'>; readonly forPerson: MessagesFor } => ({
  api: {
    list: async (scope, channel, query = {}) => {
      const status = statusIn(SEND_STATUSES, query.status);
      const binding = JSON.stringify(['sends', scopeKey(scope), channel, status]);
      const { limit, after } = placeOf(binding, query);
      const rows = await store.sends(scope, { channel, status, after, limit: limit + 1 });
      return pageOf(
        rows.map((row) => viewOfSend(scope, row)),
        limit,
        ({ id }) => id,
        binding,
      );
    },
    get: async (scope, channel, id) => {
      const row = await store.send(scope, channel, id);
      if (!row) throw notFound('send with this id', scope);
      if (row.targeted > MAX_COUNTED) return viewOfSend(scope, row);
      const counts = await store.countsOf(scope, id);
      const suppressed = counts.filter(({ status }) => status === 'suppressed');
      return {
        ...viewOfSend(scope, row),
        suppressedByReason: countBy(suppressed, ({ reason }) => reason),
        byPlatform: byName(counts, ({ platform }) => platform),
      };
    },
    messages: async (scope, channel, id, query = {}) => {
      const status = statusIn(MESSAGE_STATUSES, query.status);
      const binding = JSON.stringify(['messages', scopeKey(scope), channel, id, status]);
      const { limit, after } = placeOf(binding, query);
      if (!(await store.send(scope, channel, id))) throw notFound('send with this id', scope);
      const rows = await store.messagesOf(scope, { sendId: id, status, after, limit: limit + 1 });
      return pageOf(rows.map(viewOfMessage), limit, (message) => message.id, binding);
    },
  },
  forPerson: async (scope, person, query = {}) => {
    const binding = JSON.stringify(['messages-for', scopeKey(scope), person]);
    const { limit, after } = placeOf(binding, query);
    const rows = await store.messagesFor(scope, person, { after, limit: limit + 1 });
    return pageOf(rows.map(viewOfMessage), limit, ({ id }) => id, binding);
  },
});
