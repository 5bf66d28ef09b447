import { commitPlanned } from '../../../database/commit/commit-planned.ts';
import { isBeckonError, overloaded, providerNotConfigured, validationError } from '../../../foundation/errors.ts';
import type { Scope } from '../../../foundation/scope.ts';
import type { AnswerOnce, Once } from '../../../platform/idempotency/once.ts';
import type { RequirePlan } from '../../../platform/plans/plans.ts';
import type { DryRun, Send } from '../answers.generated.ts';
import type { SendOptions } from '../api.ts';
import type { SendsContext } from '../context.ts';
import { answerOfJson, viewOfNewSend } from '../read/view.ts';
import { peopleOf } from '../rows.ts';
import { MAX_AHEAD_MS, type Recipient, type SendRequest } from '../schema.ts';
import { isForWorker, type PlanSend, type PlanView } from './accept.ts';
import type { DryRuns } from './dry-run.ts';
import { gatesOf } from './send-gates.ts';
import type { LookUpSends } from './send-lookup.ts';
import type { RefuseSender } from './sender-refusal.ts';
import type { LateRequest } from './template.ts';

/** Dependencies of acceptance. */
export type SubmitContext = Pick<
  SendsContext,
  'storage' | 'clock' | 'ids' | 'channels' | 'audiences' | 'loadProfiles' | 'finalize' | 'tests'
> & {
  readonly lookUpSends: LookUpSends;
  readonly plan: PlanSend;
  readonly dryRun: DryRuns;
  readonly refuseSender: RefuseSender;
  readonly answerOnce: AnswerOnce;
  readonly requirePlan: RequirePlan;
};

/**
 * Accepts a checked request. The send is stored when the promise resolves. With `request.isDryRun` nothing is written
 * and the result is a dry run.
 *
 * Throws, before anything is written and in this order: VALIDATION_ERROR for a start more than a year ahead,
 * `tier_required`, VALIDATION_ERROR for an unknown A/B test, template or audience, PROVIDER_NOT_CONFIGURED; and what
 * IdempotencyOptions lists.
 *
 * @param options `body` is the original request body; it identifies repeated calls with one idempotency key
 */
export type Submit = (
  scope: Scope,
  request: SendRequest | LateRequest,
  options?: SendOptions & { readonly body?: unknown },
) => Promise<Send | DryRun>;

const checkSchedule = ({ scheduledFor }: SendRequest, now: Date): void => {
  if (scheduledFor && scheduledFor.getTime() > now.getTime() + MAX_AHEAD_MS)
    throw validationError({ scheduledFor: ['must be at most one year ahead'] });
};

/** Moves recipients with thousands of devices to the end, so they do not delay the others. */
const largeLast = (request: SendRequest, large: readonly Recipient[]): SendRequest => {
  if (large.length === 0) return request;
  const last = new Set(large);
  return { ...request, recipients: [...request.recipients.filter((one) => !last.has(one)), ...large] };
};

/** Adds extra fields to an answer; its own warnings come first. */
const withWarnings = (answer: DryRun, extra: Readonly<Record<string, unknown>> & Pick<DryRun, 'warnings'>): DryRun => {
  const warnings = [...(answer.warnings ?? []), ...(extra.warnings ?? [])];
  return { ...answer, ...extra, ...(warnings.length === 0 ? {} : { warnings }) };
};

export const submitter = (context: SubmitContext): Submit => {
  const { storage, clock, ids, channels, loadProfiles, lookUpSends, plan, dryRun, finalize, answerOnce, tests } =
    context;
  const { refuseSender, audiences, requirePlan } = context;

  /** The view that the plan needs and the request to plan. Throws PROVIDER_NOT_CONFIGURED. */
  const viewOf = async (
    scope: Scope,
    request: SendRequest,
    /** Members of the audience; 0 without an audience. */
    members: number,
    now: Date,
  ): Promise<{ readonly view: PlanView; readonly ordered: SendRequest }> => {
    const { channel, recipients, audienceId = null } = request;
    const isLarge = isForWorker(request, now);
    const people = isLarge ? [] : peopleOf(scope, recipients);
    const [lookup, profiles] = await Promise.all([
      lookUpSends([{ scope, channel, recipients: isLarge ? [] : recipients }]),
      people.length === 0 ? new Map() : loadProfiles(people),
    ]);
    const count = async () => {
      // The platforms of audience members are read at expansion.
      if (audienceId !== null) return { total: members, platforms: null, large: [] };
      const mustCount = isLarge || lookup.addresses(channel) === null;
      return mustCount ? channels[channel].count?.(scope, recipients, request.content) : undefined;
    };
    const counted = await count();
    const missing = counted ? lookup.missing(scope, channel, counted.platforms) : lookup.refusal(scope, request);
    const refused = missing ?? (await refuseSender(scope, request));
    if (refused) throw providerNotConfigured(refused);
    if (!counted) return { view: { profiles, lookup }, ordered: request };
    return { view: { profiles, lookup, addressCount: counted.total }, ordered: largeLast(request, counted.large) };
  };

  const checkTest = async (scope: Scope, { channel, abTestId }: SendRequest): Promise<void> => {
    if (abTestId && !(await tests.exists(scope, channel, abTestId)))
      throw validationError({ abTestId: ['no A/B test of this channel with this id in this environment'] });
  };

  /** Members of the request's audience; 0 without an audience. */
  const membersOf = async (scope: Scope, { audienceId = null }: SendRequest): Promise<number> => {
    const audience = audienceId === null ? null : await audiences.find(scope, audienceId);
    if (audienceId !== null && audience === null)
      throw validationError({ audienceId: ['no audience with this id in this environment'] });
    return audience?.members ?? 0;
  };

  const accept = async (scope: Scope, request: SendRequest, once: Once | undefined): Promise<Send | DryRun> => {
    const now = clock.now();
    checkSchedule(request, now);
    for (const gate of gatesOf(request)) await requirePlan(scope, gate);
    await checkTest(scope, request);
    const members = await membersOf(scope, request);
    const { view, ordered } = await viewOf(scope, request, members, now);
    const extra = { ...request.answer, ...(request.warnings?.length ? { warnings: request.warnings } : {}) };
    if (request.isDryRun) return withWarnings(await dryRun(scope, request, members, now), extra);
    const committed = await commitPlanned(storage, [ordered], {
      plan: async () => {
        const { row, messages, changes, writes, wakes } = plan(scope, ordered, view, now, ids);
        const answer = { ...viewOfNewSend(scope, row, messages), ...extra };
        const reacted = await finalize.react(changes, now);
        return {
          answer,
          writes: [...writes, ...reacted.writes, ...(once?.writes(answer, now) ?? [])],
          wakes: [...wakes, ...reacted.wakes],
          hooks: reacted.hooks,
        };
      },
      isLost: (_, failed) => once !== undefined && failed.has(once.tag),
    });
    if (!committed.ok) throw overloaded(1);
    if (!committed.plan) throw once?.lost() ?? new Error('a send without a key was lost to another');
    return committed.plan.answer;
  };

  /** Reads the request after the plan check, so `tier_required` comes before an unknown template. */
  const readIn = async (scope: Scope, request: SendRequest | LateRequest): Promise<SendRequest> => {
    if (!('read' in request)) return request;
    try {
      for (const gate of request.gates) await requirePlan(scope, gate);
    } catch (error) {
      if (isBeckonError(error, 'tier_required')) request.check();
      throw error;
    }
    return request.read();
  };

  return (scope, request, { body = request, client, ...options } = {}) => {
    const call = { operation: `${request.channel}.send`, input: body, options, revive: answerOfJson };
    const answer = () => answerOnce(scope, call, async (once) => accept(scope, await readIn(scope, request), once));
    return client ? storage.join(client, answer) : answer();
  };
};
