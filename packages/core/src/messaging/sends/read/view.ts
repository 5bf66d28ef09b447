import { userIdOf } from '../../../foundation/person.ts';
import type { Scope } from '../../../foundation/scope.ts';
import type { DryRun, Message, Send } from '../answers.generated.ts';
import type { MessageRow, Problem, SendRow, StatusCount } from '../store.ts';
import { byName, countBy } from './count-by.ts';

/** Facts of a send besides its row. */
export type SendFacts = {
  /** Its messages by status; null: not counted. */
  readonly counts: readonly StatusCount[] | null;
  /** The error of an attempt that is retried. */
  readonly problem?: Problem | null;
};

/** The public form of a send. A cancelled send has no queued or deferred messages. */
export const viewOfSend = (scope: Scope, row: SendRow, { counts, problem = null }: SendFacts): Send => {
  const { targeted, sent, failed, bounced, suppressed, delivered } = row;
  const { opened, clicked, uniqueOpened, uniqueClicked, machineOpened } = row;
  const open = row.status === 'cancelled' ? 0 : targeted - sent - failed - suppressed;
  const deferred = Math.min(Math.max(row.deferred, 0), open);
  return {
    id: row.id,
    orgId: scope.orgId,
    projectId: scope.projectId,
    environment: scope.environment,
    ...(row.channel === 'email'
      ? { channel: row.channel, subject: row.title }
      : { channel: row.channel, title: row.title }),
    status: row.status,
    source: row.source,
    class: row.class,
    category: row.category,
    tags: row.tags,
    abTestId: row.abTestId,
    audienceId: row.audienceId,
    tokenCount: row.tokenCount,
    workflowRunId: row.workflowRunId,
    stepPath: row.stepPath,
    templateId: row.templateId,
    templateVersion: row.templateVersion,
    scheduledFor: row.scheduledFor,
    createdAt: row.createdAt,
    startedAt: row.startedAt,
    finishedAt: row.finishedAt,
    cancelledAt: row.cancelledAt,
    counts: {
      targeted,
      queued: open - deferred,
      deferred,
      sent,
      delivered,
      bounced,
      failed: failed - bounced,
      suppressed,
      opened,
      clicked,
      uniqueOpened,
      uniqueClicked,
      machineOpened,
    },
    suppressedByReason:
      counts &&
      countBy(
        counts.filter(({ status }) => status === 'suppressed'),
        ({ reason }) => reason,
      ),
    byPlatform: counts && byName(counts, ({ platform }) => platform),
    error: row.errorCode === null ? (problem?.error ?? null) : row.error,
    errorCode: row.errorCode ?? problem?.errorCode ?? null,
  };
};

/** The public form of a send whose messages are created with it. */
export const viewOfNewSend = (
  scope: Scope,
  row: SendRow,
  messages: readonly Pick<MessageRow, 'status' | 'reason'>[],
): Send =>
  viewOfSend(scope, row, {
    counts: messages.map(({ status, reason }) => ({ status, reason, errorCode: null, platform: null, count: 1 })),
  });

const DATES = ['scheduledFor', 'createdAt', 'startedAt', 'finishedAt', 'cancelledAt'] as const;

/** Restores a stored send answer from JSON. */
export const answerOfJson = (stored: unknown): Send | DryRun => {
  // Safe: the stored value is what `submit` returned.
  const answer = stored as Send | DryRun;
  if ('dryRun' in answer) return answer;
  const dates = DATES.map((name) => [name, answer[name] === null ? null : new Date(answer[name])]);
  return { ...answer, ...Object.fromEntries(dates) };
};

/** The public form of a message. */
export const viewOfMessage = (row: MessageRow): Message => ({
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
  // While a worker has it in hand, `dueAt` is the end of the lease, a few seconds ahead.
  deferredUntil: row.status === 'deferred' ? row.dueAt : null,
  sentAt: row.sentAt,
  deliveredAt: row.deliveredAt,
  openedAt: row.openedAt,
  clickedAt: row.clickedAt,
  clickAction: row.clickAction,
  machine: row.machineReason !== null,
  complainedAt: row.complainedAt,
  unsubscribedAt: row.unsubscribedAt,
  variant: row.variant,
});
