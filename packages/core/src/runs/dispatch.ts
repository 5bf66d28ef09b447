import type { Channel } from '../api.ts';
import type { Clock } from '../primitives/clock.ts';
import { userIdOf } from '../primitives/person.ts';
import { type ScopeDirectory, type ScopeLookup, scopeKey, scopeOf } from '../primitives/scope.ts';
import { type LoadProfiles, type PersonKey, type ProfileView, personKey } from '../profiles/view.ts';
import type { LookUpSends, SendLookup, Want } from '../sending/accept/send-lookup.ts';
import type { BulkWrite } from '../storage/bulk.ts';
import { type Claimed, claimable } from '../storage/claim.ts';
import type { Storage } from '../storage/storage.ts';
import { MAX_TRIES, type Write, write } from '../storage/write-set.ts';
import type { WorkLog } from '../work/log.ts';
import type { Registration } from '../work/registration.ts';
import type { Step } from '../workflows/schema.ts';
import type { StepsOf, VersionKey } from '../workflows/versions.ts';
import { type Advance, advance, failedState, type RunState } from './advance.ts';
import type { RunHot } from './hot.ts';
import { RUNS } from './start.ts';
import type { StepHandlers } from './steps/step.ts';
import type { RunRow } from './store.ts';
import type { RunTables } from './tables.ts';

/** Runs in hand at once. Source: reliability promises (places). */
const MAX_IN_HAND = 64;

export type DispatchDeps = {
  readonly storage: Storage;
  readonly tables: RunTables;
  readonly hot: RunHot;
  readonly clock: Clock;
  readonly scopes: ScopeDirectory;
  readonly handlers: StepHandlers;
  readonly log: Pick<WorkLog, 'error'>;
  /** Statements of other engines that a step's plan may hold. */
  readonly order: readonly BulkWrite[];
  readonly loadProfiles: LoadProfiles;
  /** Reads what the sends of steps need, for all of a batch. */
  readonly lookUpSends: LookUpSends;
  /** Makes a person's traits what a step left; guarded by the profile that was read. */
  changeTraits(key: PersonKey, stored: ProfileView | undefined, left: TraitsLeft, now: Date, tag: string): Write;
  /** The steps of definition versions, set-based. */
  loadSteps(keys: readonly VersionKey[]): Promise<StepsOf>;
};

/** What steps made of a person's traits. */
export type TraitsLeft = Pick<ProfileView, 'traits' | 'isTruncated'>;
type Due = { readonly run: Claimed<RunRow>; readonly steps: readonly Step[] | null };
/** A person within one plan: as stored, and as the steps planned so far leave them. */
type Person = { readonly key: PersonKey; readonly stored: ProfileView | undefined; current: ProfileView | undefined };

const PERSON_TAG = 'person';

const personOf = (run: RunRow): PersonKey => ({ ...scopeOf(run), person: run.person });

/** Steps that send, by the channel that they send on. */
const CHANNEL_OF: ReadonlyMap<string, Channel> = new Map([
  ['send_email', 'email'],
  ['send_push', 'push'],
  ['send_sms', 'sms'],
]);

/** What the step that a run stands at wants to send; none where it sends nothing. */
const wantOf = ({ run, steps }: Due): Want[] => {
  const channel = CHANNEL_OF.get(steps?.[Number(run.cursor)]?.type ?? '');
  const userId = userIdOf(run.person);
  const recipients = userId === null ? [] : [{ kind: 'user', userId } as const];
  return channel === undefined ? [] : [{ scope: scopeOf(run), channel, recipients }];
};

const versionOf = (scopeAt: ScopeLookup, run: RunRow): VersionKey => ({
  projectKey: scopeAt(run.scopeId).projectKey,
  workflowId: run.workflowId,
  version: run.workflowVersion,
});

/**
 * The queue of runs. A batch of due runs does one step each in one plan: run rows guarded by their fence, step rows,
 * and whatever the steps caused. A lost fence drops that run; a profile that changed meanwhile makes the plan anew.
 */
export const runRegistration = (deps: DispatchDeps): Registration<RunRow, Due> => {
  const { storage, hot, clock, handlers } = deps;
  const order = [hot.advance, hot.recordStep, ...deps.order];

  const writeState = (run: RunRow, state: RunState): Write =>
    write(hot.advance, { ...scopeOf(run), id: run.id, fence: run.fence, person: run.person, ...state }, run.id);

  const loadPeople = async (due: readonly Due[]): Promise<Map<string, Person>> => {
    const keys = new Map(due.map(({ run }) => [personKey(personOf(run)), personOf(run)]));
    const stored = await deps.loadProfiles([...keys.values()]);
    return new Map(
      [...keys].map(([name, key]) => [name, { key, stored: stored.get(name), current: stored.get(name) }]),
    );
  };

  const blank = (key: PersonKey, now: Date): ProfileView => ({
    ...key,
    traits: {},
    version: 0,
    isTruncated: false,
    email: null,
    phone: null,
    locale: null,
    timezone: null,
    createdAt: now,
    lastSeenAt: now,
  });

  /** A step that throws is a defect: it ends its own run, and no other of the batch. */
  const attempt = (
    run: RunRow,
    steps: readonly Step[],
    profile: ProfileView | undefined,
    lookup: SendLookup,
    now: Date,
  ): Advance => {
    try {
      return advance(handlers, run, steps, profile, lookup, now);
    } catch (error) {
      deps.log.error({ runId: run.id, scopeId: run.scopeId, path: run.cursor, error }, 'a step threw');
      return { state: failedState(run, now, 'step_threw'), step: null };
    }
  };

  const plan = (due: readonly Due[], people: ReadonlyMap<string, Person>, lookup: SendLookup, now: Date) => {
    const writes: Write[] = [];
    const wakes = new Set<string>();
    for (const { run, steps } of due) {
      const person = people.get(personKey(personOf(run)));
      if (!steps || !person) {
        writes.push(writeState(run, failedState(run, now, 'definition_unreadable')));
        continue;
      }
      const { state, step } = attempt(run, steps, person.current, lookup, now);
      writes.push(writeState(run, state));
      if (state.status === 'running') wakes.add(RUNS);
      if (!step) continue;
      const { result } = step;
      writes.push(
        write(hot.recordStep, {
          ...scopeOf(run),
          runId: run.id,
          path: step.path,
          attempt: run.attempt,
          type: step.type,
          outcome: result.outcome,
          reason: result.reason ?? null,
          startedAt: step.startedAt,
          finishedAt: now,
          sendId: result.sendId ?? null,
        }),
        ...(result.writes ?? []),
      );
      for (const topic of result.wakes ?? []) wakes.add(topic);
      if (result.left) person.current = { ...(person.current ?? blank(person.key, now)), ...result.left };
    }
    for (const { key, stored, current } of people.values()) {
      if (current && current !== stored) writes.push(deps.changeTraits(key, stored, current, now, PERSON_TAG));
    }
    return { order, writes, wakes: [...wakes] };
  };

  return {
    name: RUNS,
    claim: claimable(RUNS, deps.tables.runs),
    maxInHand: MAX_IN_HAND,
    process: async (rows, done) => {
      const scopeAt = await deps.scopes.load(rows.map(scopeKey));
      const stepsOf = await deps.loadSteps(rows.map((run) => versionOf(scopeAt, run)));
      for (const run of rows) done(run, { run, steps: stepsOf(versionOf(scopeAt, run)) });
    },
    commit: async (outcomes) => {
      let due = outcomes;
      for (let tries = 0; due.length > 0; tries += 1) {
        const [people, lookup] = await Promise.all([loadPeople(due), deps.lookUpSends(due.flatMap(wantOf))]);
        const result = await storage.commit(plan(due, people, lookup, clock.now()));
        if (result.ok) return;
        due = due.filter(({ run }) => !result.failed.has(run.id));
        if (tries === MAX_TRIES && due.length > 0) throw new Error('these people change faster than a step is planned');
      }
    },
    giveUp: async (run, reason) => {
      await storage.commit({ order, writes: [writeState(run, failedState(run, clock.now(), reason))] });
    },
  };
};
