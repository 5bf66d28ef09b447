import type { Channel } from '../api.ts';
import type { LoadKnown } from '../audiences/known.ts';
import type { Condition } from '../audiences/predicate/types.ts';
import type { Clock } from '../primitives/clock.ts';
import type { Ids } from '../primitives/ids.ts';
import { userIdOf } from '../primitives/person.ts';
import { type Scope, type ScopeDirectory, type ScopeLookup, scopeKey, scopeOf } from '../primitives/scope.ts';
import { blankProfile, type LoadProfiles, type PersonKey, type ProfileView, personKey } from '../profiles/view.ts';
import type { PlanSend } from '../sending/accept/accept.ts';
import type { LookUpSends, SendLookup, Want } from '../sending/accept/send-lookup.ts';
import type { SendTests } from '../sending/deliver/variants.ts';
import type { MessageChange } from '../sending/settle/change.ts';
import type { Settle } from '../sending/settle/settle.ts';
import type { LoadSettings } from '../settings/settings.ts';
import { type Claimed, claimable } from '../storage/claim.ts';
import { commitPlanned } from '../storage/commit-planned.ts';
import { isUnavailable } from '../storage/errors.ts';
import type { Storage } from '../storage/storage.ts';
import { type Write, write } from '../storage/write-set.ts';
import type { UsedTemplate, UseTemplate } from '../templates/use.ts';
import type { WorkLog } from '../work/log.ts';
import type { Registration } from '../work/registration.ts';
import { type Advance, advance, type Begun, begin, failedState, type RunState } from './advance.ts';
import type { StoredStep } from './cursor.ts';
import type { StepsOf, VersionKey } from './definition.ts';
import type { Effects, RunEffects } from './effects.ts';
import type { RunHot } from './hot.ts';
import { RUNS } from './start.ts';
import type { StepCatalog } from './steps/catalog.ts';
import { sendStep } from './steps/send.ts';
import type { PlanContext, RunContext, StepPost, StepRun, StepWait } from './steps/step.ts';
import type { RunRow } from './store.ts';
import type { RunTables } from './tables.ts';

/** Runs in hand at once. Source: reliability promises. */
const MAX_IN_HAND = 64;
/** Steps of one run in one commit; ours, so that a long workflow holds up nobody else's. */
const MAX_STEPS = 32;

export type DispatchDeps = {
  readonly storage: Storage;
  readonly tables: RunTables;
  readonly hot: RunHot;
  readonly clock: Clock;
  readonly scopes: ScopeDirectory;
  readonly ids: Ids;
  /** The step types that this program runs. */
  readonly steps: Pick<StepCatalog, 'find' | 'armsOf'>;
  readonly log: Pick<WorkLog, 'error'>;
  readonly loadProfiles: LoadProfiles;
  /** Reads what the sends of steps need, for all of a batch. */
  readonly lookUpSends: LookUpSends;
  readonly planSend: PlanSend;
  /** What reacts to messages that ended as a step made them. */
  readonly react: Settle['react'];
  /** Where this service's own links lead; null: the operator has not said. */
  readonly publicUrl: string | null;
  /** Reads the stored templates that steps name. */
  readonly useTemplate: UseTemplate;
  /** Reads the A/B tests that steps name; absent: there are none. */
  readonly tests?: Pick<SendTests, 'load'> | undefined;
  /** What is set in each of some scopes. */
  readonly loadSettings: LoadSettings;
  /** What a step writes that posts something; null: nothing is posted there. */
  readonly postStep: (run: RunRow, scope: Scope, asked: StepPost) => Pick<StepWait, 'writes' | 'wakes'> | null;
  /** What conditions ask of people besides their profiles. */
  readonly loadKnown: LoadKnown;
  /** What a step writes that asks a model; null: none is asked there. */
  readonly askModel: (run: RunRow, scope: Scope) => Pick<StepWait, 'writes' | 'wakes'> | null;
  /** What steps cause beyond their own rows. */
  readonly effects: RunEffects;
  /** The steps of definition versions, set-based. */
  loadSteps(keys: readonly VersionKey[]): Promise<StepsOf>;
};

/** A run whose step ran: what commit plans from, as often as it has to. */
type Due = {
  readonly run: Claimed<RunRow>;
  readonly begun: Begun;
  /** Runs the step that the run stands at next, once under its lease; null: what it asks may not be on disk yet. */
  readonly follow: (run: RunRow, profile: ProfileView | undefined) => Promise<Begun | null>;
};
/** A person within one plan: as stored, and as the steps planned so far leave them. */
type Person = { readonly key: PersonKey; readonly stored: ProfileView | undefined; current: ProfileView | undefined };
/** Where a run stands within one plan. */
type Standing = { readonly due: Due; readonly run: Claimed<RunRow>; readonly begun: Begun };

const PERSON_TAG = 'person';

const personOf = (run: RunRow): PersonKey => ({ ...scopeOf(run), person: run.person });

/** The run as its steps see it. */
export const stepRun = (run: RunRow): StepRun => ({
  id: run.id,
  scope: scopeOf(run),
  person: run.person,
  depth: run.depth,
  workflowId: run.workflowId,
  triggerEvent: run.triggerEvent,
  attempt: run.attempt,
  saved: run.context,
  waitingSince: run.waitingSince,
  wokenBy: run.wokenBy,
});

export const versionOf = (scopeAt: ScopeLookup, run: RunRow): VersionKey => ({
  projectKey: scopeAt(run.scopeId).projectKey,
  workflowId: run.workflowId,
  version: run.workflowVersion,
});

/**
 * The queue of runs. A batch of due runs does one step each, outside any transaction and once per lease; what the steps
 * came to is one plan: run rows guarded by their fence, step rows, and whatever the steps caused. A run whose next step is
 * due at once goes on within the plan, as long as nothing that the plan changes could be seen by that step. A lost fence
 * drops that run; a profile that changed meanwhile makes the plan anew, of the same results.
 */
export const runRegistration = (deps: DispatchDeps): Registration<RunRow, Due> => {
  const { storage, hot, clock, steps: catalog } = deps;
  const tried = new WeakSet<Due>();

  const writeState = (run: RunRow, state: RunState): Write =>
    write(hot.advance, { ...scopeOf(run), id: run.id, fence: run.fence, person: run.person, ...state }, run.id);

  const keysOf = (runs: readonly RunRow[]): Map<string, PersonKey> =>
    new Map(runs.map((run) => [personKey(personOf(run)), personOf(run)]));

  const loadPeople = async (due: readonly Due[]): Promise<Map<string, Person>> => {
    const keys = keysOf(due.map(({ run }) => run));
    const stored = await deps.loadProfiles([...keys.values()]);
    return new Map(
      [...keys].map(([name, key]) => [name, { key, stored: stored.get(name), current: stored.get(name) }]),
    );
  };

  /** What the step that a run stands at wants to send; none where it sends nothing. */
  const wantOf = ({ run, begun }: Pick<Standing, 'run' | 'begun'>): Want[] => {
    const channel = begun.kind === 'ran' ? catalog.find(begun.step.type)?.sends : undefined;
    const userId = userIdOf(run.person);
    const recipients = userId === null ? [] : [{ kind: 'user', userId } as const];
    return channel === undefined ? [] : [{ scope: scopeOf(personOf(run)), channel, recipients }];
  };

  /** A step that throws is a defect: it ends its own run, and no other of the batch. */
  const threw = (run: RunRow, error: unknown): void =>
    deps.log.error({ runId: run.id, scopeId: run.scopeId, path: run.cursor, error }, 'a step threw');

  const attempt = (
    run: RunRow,
    begun: Begun,
    profile: ProfileView | undefined,
    lookup: SendLookup,
    scope: Scope,
    now: Date,
  ): Advance => {
    const facts = { run: stepRun(run), path: run.cursor, now, profile };
    const send: PlanContext['send'] = (asked) => sendStep({ ids: deps.ids, plan: deps.planSend }, lookup, facts, asked);
    try {
      return advance(catalog.armsOf, run, begun, {
        ...facts,
        publicUrl: deps.publicUrl,
        send,
        askModel: () => deps.askModel(run, scope),
        post: (asked) => deps.postStep(run, scope, asked),
      });
    } catch (error) {
      threw(run, error);
      return { state: failedState(run, now, 'step_threw'), step: null };
    }
  };

  /** What is nobody's defect, a database that is away or a worker that stops, is thrown: the run is taken up again. */
  const runStep = async (
    run: RunRow,
    steps: readonly StoredStep[] | null,
    reads: Omit<RunContext, 'run' | 'path' | 'now' | 'signal'>,
    signal: AbortSignal,
  ): Promise<Begun> => {
    const context = { run: stepRun(run), path: run.cursor, now: clock.now(), signal, ...reads };
    try {
      return await begin(catalog, steps, context);
    } catch (error) {
      if (signal.aborted || isUnavailable(error)) throw error;
      threw(run, error);
      return { kind: 'failed', error: 'step_threw' };
    }
  };

  const followOf = (
    steps: readonly StoredStep[] | null,
    reads: Pick<RunContext, 'template' | 'variantTexts' | 'orgTimezone'>,
    signal: AbortSignal,
  ): Due['follow'] => {
    const begun = new Map<string, Promise<Begun | null>>();
    const begins = async (run: RunRow, profile: ProfileView | undefined): Promise<Begun | null> => {
      let asksDatabase = false;
      const known = async () => {
        asksDatabase = true;
        return { isMember: () => null, tallyOf: () => null };
      };
      try {
        const found = await runStep(run, steps, { ...reads, profile: async () => profile, known }, signal);
        return asksDatabase ? null : found;
      } catch {
        // Nobody's defect: the steps before it are written, and it is run under another lease.
        return null;
      }
    };
    return (run, profile) => {
      const found = begun.get(run.cursor) ?? begins(run, profile);
      begun.set(run.cursor, found);
      return found;
    };
  };

  /** @param most steps of one run */
  const plan = async (
    due: readonly Due[],
    people: ReadonlyMap<string, Person>,
    scopeAt: ScopeLookup,
    first: SendLookup,
    effects: Effects,
    { now, most }: { readonly now: Date; readonly most: number },
  ) => {
    const states: Write[] = [];
    const writes: Write[] = [];
    const wakes = new Set<string>();
    const changes: MessageChange[] = [];
    const gathered = { now, writes, wakes };
    const changing: RunRow[] = [];

    const stay = (run: RunRow, state: RunState): void => {
      states.push(writeState(run, state));
      if (state.status === 'running') wakes.add(RUNS);
    };

    /** Plans what a step came to; answers where the run stands then. */
    const take = ({ run, begun }: Standing, lookup: SendLookup): RunState => {
      const person = people.get(personKey(personOf(run)));
      const { state, step, waits } = attempt(run, begun, person?.current, lookup, scopeAt(run.scopeId), now);
      if (waits) {
        // Safe: as those of a step that ended, below.
        writes.push(...((waits.writes ?? []) as readonly Write[]));
        for (const topic of waits.wakes ?? []) wakes.add(topic);
      }
      if (!step) {
        effects.raise(gathered, run, state, null);
        return state;
      }
      const { result } = step;
      const ended = {
        path: step.path,
        attempt: run.attempt,
        type: step.type,
        outcome: result.outcome,
        reason: result.reason ?? null,
        sendId: result.sendId ?? null,
        httpStatus: result.httpStatus ?? null,
        output: result.output ?? null,
        usage: result.usage ?? null,
      };
      const times = { startedAt: step.startedAt, finishedAt: now };
      writes.push(
        write(hot.recordStep, { ...scopeOf(run), runId: run.id, ...ended, ...times }),
        // Safe: a step has them of `send`, which is given those of a plan.
        ...((result.writes ?? []) as readonly Write[]),
      );
      effects.raise(gathered, run, state, ended);
      for (const topic of result.wakes ?? []) wakes.add(topic);
      changes.push(...(result.changes ?? []));
      if (!result.left || !person) return state;
      changing.push(run);
      person.current = { ...(person.current ?? blankProfile(person.key, now)), ...result.left };
      return state;
    };

    /** The run at its next step, where that is due at once and may be taken in this plan; none else. */
    const goOn = async (due: Due, run: Claimed<RunRow>, state: RunState): Promise<Standing[]> => {
      const person = people.get(personKey(personOf(run)));
      const next = { ...run, ...state };
      const mayGoOn = state.status === 'running' && person?.current === person?.stored;
      const begun = mayGoOn ? await due.follow(next, person?.stored) : null;
      if (begun) return [{ due, run: next, begun: begun.kind === 'ran' ? { ...begun, startedAt: now } : begun }];
      stay(run, state);
      return [];
    };

    let standing = due.map((one): Standing => ({ due: one, run: one.run, begun: one.begun }));
    for (let [taken, lookup] = [1, first]; standing.length > 0; taken += 1) {
      if (taken > 1) lookup = await deps.lookUpSends(standing.flatMap(wantOf));
      const took = standing.map((one) => ({ ...one, state: take(one, lookup) }));
      if (taken < most) standing = (await Promise.all(took.map((one) => goOn(one.due, one.run, one.state)))).flat();
      else {
        for (const { run, state } of took) stay(run, state);
        standing = [];
      }
    }
    const edits = [...people.values()].flatMap(({ key, stored, current }) =>
      current && current !== stored ? [{ key, stored, left: current }] : [],
    );
    await effects.change(gathered, changing, edits, PERSON_TAG);
    return { writes: [...states, ...writes], wakes: [...wakes], changes };
  };

  return {
    name: RUNS,
    claim: claimable(RUNS, deps.tables.runs),
    maxInHand: MAX_IN_HAND,
    process: async (rows, done, { signal }) => {
      const scopeAt = await deps.scopes.load(rows.map(scopeKey));
      const stepsOf = await deps.loadSteps(rows.map((run) => versionOf(scopeAt, run)));
      let people: ReturnType<LoadProfiles> | undefined;
      const profileOf = async (run: RunRow): Promise<ProfileView | undefined> => {
        people ??= deps.loadProfiles([...keysOf(rows).values()]);
        return (await people).get(personKey(personOf(run)));
      };
      const templates = new Map<string, Promise<UsedTemplate | null>>();
      const templateOf = (run: RunRow): RunContext['template'] => {
        const { projectKey } = scopeAt(run.scopeId);
        return (channel, id) => {
          const key = `${projectKey}/${channel}/${id}`;
          const read = templates.get(key) ?? deps.useTemplate({ projectKey }, channel, id);
          templates.set(key, read);
          return read;
        };
      };
      let settings: ReturnType<LoadSettings> | undefined;
      const orgTimezoneOf = async (run: RunRow): Promise<string | null> => {
        settings ??= deps.loadSettings(rows);
        return (await settings)(run).orgDefaultTimezone;
      };
      const each = rows.map(async (run) => {
        const steps = stepsOf(versionOf(scopeAt, run));
        const shared = {
          template: templateOf(run),
          variantTexts: async (channel: Channel, abTestId: string) => {
            const ref = { ...scopeOf(run), abTestId };
            return (await deps.tests?.load([ref]))?.({ ...ref, channel })?.texts ?? [];
          },
          orgTimezone: () => orgTimezoneOf(run),
        };
        const own = {
          profile: () => profileOf(run),
          known: (asked: Condition) => deps.loadKnown(scopeOf(run), run.person, asked, clock.now()),
        };
        const begun = await runStep(run, steps, { ...shared, ...own }, signal);
        done(run, { run, begun, follow: followOf(steps, shared, signal) });
      });
      // Only then is anything thrown: a step that ran is reported, and so not run again with those that did not.
      const failure = (await Promise.allSettled(each)).find(({ status }) => status === 'rejected');
      if (failure?.status === 'rejected') throw failure.reason;
    },
    commit: async (outcomes) => {
      let isFirstTry = true;
      // What the database refused comes again step by step, so that those before the one at fault are written.
      const most = outcomes.some((one) => tried.has(one)) ? 1 : MAX_STEPS;
      for (const one of outcomes) tried.add(one);
      const { ok } = await commitPlanned(storage, outcomes, {
        plan: async (due) => {
          const runs = due.map(({ run }) => run);
          const [people, scopeAt, lookup, effects] = await Promise.all([
            loadPeople(due),
            deps.scopes.load(runs.map(scopeKey)),
            deps.lookUpSends(due.flatMap(wantOf)),
            deps.effects.load(runs, { isFirstTry, isJoined: false }),
          ]);
          isFirstTry = false;
          const now = clock.now();
          const planned = await plan(due, people, scopeAt, lookup, effects, { now, most });
          const reacted = await deps.react(planned.changes, now);
          return {
            writes: [...planned.writes, ...reacted.writes],
            wakes: [...planned.wakes, ...reacted.wakes],
            along: reacted.along,
          };
        },
        isLost: ({ run }, failed) => failed.has(run.id),
      });
      if (!ok) throw new Error('these people change faster than a step is planned');
    },
    giveUp: async (run, reason) => {
      const state = failedState(run, clock.now(), reason);
      const gathered = { now: clock.now(), writes: [writeState(run, state)], wakes: new Set<string>() };
      (await deps.effects.load([run], { isFirstTry: true, isJoined: false })).raise(gathered, run, state, null);
      await storage.commit({ writes: gathered.writes, wakes: [...gathered.wakes] });
    },
  };
};
