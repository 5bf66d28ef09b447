import type { DryRun, Send, SendOptions } from '../api.ts';
import { providerNotConfigured, validationError } from '../errors.ts';
import { writesOf } from '../idempotency/once.ts';
import type { Clock } from '../primitives/clock.ts';
import type { Ids } from '../primitives/ids.ts';
import type { Scope } from '../primitives/scope.ts';
import type { LoadProfiles } from '../profiles/view.ts';
import type { BulkWrite } from '../storage/bulk.ts';
import type { Storage } from '../storage/storage.ts';
import { isForWorker, type PlanSend, type PlanView } from './accept.ts';
import type { Channels } from './channel.ts';
import type { DryRuns } from './dry-run.ts';
import type { Know } from './known.ts';
import { peopleOf } from './message-rows.ts';
import { type Draft, MAX_AHEAD_MS, type Recipient } from './schema.ts';
import { viewOfSend } from './sends.ts';

export type SubmitDeps = {
  readonly storage: Pick<Storage, 'commit'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly channels: Channels;
  readonly loadProfiles: LoadProfiles;
  readonly know: Know;
  readonly plan: PlanSend;
  readonly order: readonly BulkWrite[];
  readonly dryRun: DryRuns;
};

/**
 * Accepts a checked draft: on disk when it resolves. With `draft.isDryRun` nothing is written, and the answer is what
 * would be sent.
 *
 * Throws PROVIDER_NOT_CONFIGURED before anything is written, VALIDATION_ERROR for a moment more than a year ahead, and
 * CONFLICT `idempotency_in_progress` where another request answers for the key by now.
 */
export type Submit = (scope: Scope, draft: Draft, options?: SendOptions) => Promise<Send | DryRun>;

const checkSchedule = ({ scheduledFor }: Draft, now: Date): void => {
  if (scheduledFor && scheduledFor.getTime() > now.getTime() + MAX_AHEAD_MS)
    throw validationError({ scheduledFor: ['must be at most a year ahead'] });
};

/** One person with thousands of devices keeps nobody else waiting. */
const largeLast = (draft: Draft, large: readonly Recipient[]): Draft => {
  if (large.length === 0) return draft;
  const last = new Set(large);
  return { ...draft, recipients: [...draft.recipients.filter((one) => !last.has(one)), ...large] };
};

export const submitter = (deps: SubmitDeps): Submit => {
  const { storage, clock, ids, channels, loadProfiles, know, plan, order, dryRun } = deps;

  /** What the plan of this draft needs, and the draft as it is planned; throws PROVIDER_NOT_CONFIGURED. */
  const viewOf = async (
    scope: Scope,
    draft: Draft,
    now: Date,
  ): Promise<{ readonly view: PlanView; readonly ordered: Draft }> => {
    const { channel, recipients } = draft;
    const isLarge = isForWorker(draft, now);
    const people = isLarge ? [] : peopleOf(scope, recipients);
    const [known, profiles] = await Promise.all([
      know([{ scope, channel, recipients: isLarge ? [] : recipients }]),
      people.length === 0 ? new Map() : loadProfiles(people),
    ]);
    const counted =
      isLarge || known.addresses(channel) === null
        ? await channels[channel].count?.(scope, recipients, draft.content)
        : undefined;
    const missing = counted ? known.missing(scope, channel, counted.platforms) : known.refusal(scope, draft);
    if (missing) throw providerNotConfigured(missing);
    if (!counted) return { view: { profiles, known }, ordered: draft };
    return { view: { profiles, known, addressCount: counted.total }, ordered: largeLast(draft, counted.large) };
  };

  return async (scope, draft, { once: token } = {}) => {
    const once = token && writesOf(token);
    const now = clock.now();
    checkSchedule(draft, now);
    const { view, ordered } = await viewOf(scope, draft, now);
    const extra = { ...draft.answer, ...(draft.warnings?.length ? { warnings: draft.warnings } : {}) };
    if (draft.isDryRun) return { ...(await dryRun(scope, draft, now)), ...extra };
    const { row, writes, wakes } = plan(scope, ordered, view, now, ids);
    const answer = { ...viewOfSend(row), ...extra };
    const committed = await storage.commit({
      order: [...order, ...(once?.order ?? [])],
      writes: [...writes, ...(once?.writes(answer, now) ?? [])],
      wakes,
    });
    if (!committed.ok) throw once?.lost() ?? new Error('a plan without guards was refused');
    return answer;
  };
};
