/*
 * Separate queue for AI steps, so slow model calls do not occupy run slots: a call takes seconds, and a hanging one
 * twenty. The step writes a row when it starts to wait. The worker calls the model and resumes the run in the
 * transaction that deletes the row. A hanging provider only delays calls of its own org, because each org has a limited
 * share of permits.
 */

import { commitPlanned } from '../../database/commit/commit-planned.ts';
import { type Write, write } from '../../database/commit/write-set.ts';
import { type Claimed, claimable } from '../../database/statements/claim.ts';
import type { Storage } from '../../database/storage.ts';
import { type InScope, type Scope, scopeOf } from '../../foundation/scope.ts';
import type { Registration } from '../../jobs/registration.ts';
import type { Platform } from '../../platform/platform.ts';
import type { ModelAsker, ModelResult, UnavailableReason } from './ask-model.ts';
import type { AiStatements } from './statements.ts';
import type { AiCallRow } from './store.ts';
import type { AiTables } from './tables.ts';
import type { AiTask } from './task.ts';

/** Name of the queue of model calls, and its wake topic. */
export const AI_CALLS = 'ai_calls';

/** Maximum calls in process. Chosen. */
const MAX_IN_HAND = 128;
/**
 * Maximum concurrent calls of one org per process. Chosen: only sixteen orgs with hanging providers exhaust all
 * permits.
 */
export const MAX_PER_ORG = 8;
/** Delay of a call whose org has no free permit, in milliseconds. Chosen. */
const NO_PLACE_MS = 2_000;

/** A waiting step of a run. */
export type WaitingStep = InScope & { readonly runId: string; readonly path: string; readonly attempt: number };

/** Result passed to a waiting step; makes its run due. */
export type AiStepResult = Exclude<ModelResult, { readonly kind: 'later' }>;

/** Steps that wait for a model. */
export type ModelSteps = {
  /** Current tasks of these steps; absent: the step no longer waits. A null task is too large to send. */
  tasksOf<Step extends WaitingStep>(
    steps: readonly Step[],
  ): Promise<ReadonlyMap<Step, { readonly scope: Scope; readonly task: AiTask | null }>>;
  /** Makes a run due with its result. */
  resume(step: WaitingStep, stepResult: AiStepResult, now: Date): Write;
  /** Queues that `resume` fills. */
  readonly wakes: readonly string[];
};

export type AiCallContext = Pick<Platform<AiTables>, 'clock' | 'ids'> & {
  readonly statements: Pick<AiStatements, 'ask'>;
  /** Steps in `test` call no model. */
  readonly isSandboxed: boolean;
};

/** Enqueues the call of a step that starts to wait; null: no model is called in this scope. Throws nothing. */
export const planAiCall = (
  { statements, clock, ids, isSandboxed }: AiCallContext,
  { runId, path, attempt, ...scope }: WaitingStep,
  { environment }: Scope,
): { readonly writes: readonly Write[]; readonly wakes: readonly string[] } | null => {
  if (environment === 'test' && isSandboxed) return null;
  const row = { ...scopeOf(scope), id: ids.next(), runId, path, attempt, tries: 0, dueAt: clock.now(), fence: 0 };
  return { writes: [write(statements.ask, row)], wakes: [AI_CALLS] };
};

const without = (reason: UnavailableReason): AiStepResult => ({
  kind: 'unavailable',
  reason,
  output: null,
  usage: null,
});

type Ended =
  | { readonly call: Claimed<AiCallRow>; readonly kind: 'told'; readonly stepResult: AiStepResult | null }
  | { readonly call: Claimed<AiCallRow>; readonly kind: 'again'; readonly at: Date; readonly tries: number };

export type AiQueueContext = Pick<Platform<AiTables>, 'tables' | 'clock'> & {
  readonly storage: Pick<Storage, 'commit'>;
  readonly statements: AiStatements;
};

/** The queue of model calls. */
export const aiRegistration = (
  { storage, tables, clock, statements }: AiQueueContext,
  ask: ModelAsker['ask'],
  steps: ModelSteps,
): Registration<AiCallRow, Ended> => {
  const inHand = new Map<string, number>();

  const enter = (orgId: string): boolean => {
    const now = inHand.get(orgId) ?? 0;
    if (now >= MAX_PER_ORG) return false;
    inHand.set(orgId, now + 1);
    return true;
  };
  const leave = (orgId: string): void => {
    const left = (inHand.get(orgId) ?? 1) - 1;
    if (left === 0) inHand.delete(orgId);
    else inHand.set(orgId, left);
  };

  const keyOf = ({ scopeId, id, fence }: Claimed<AiCallRow>) => ({ scopeId, id, fence });
  const planned = (ended: Ended, now: Date): Write[] => {
    const { call } = ended;
    if (ended.kind === 'again')
      return [write(statements.putOff, { ...keyOf(call), dueAt: ended.at, tries: ended.tries }, call.id)];
    const end = write(statements.end, keyOf(call), call.id);
    return ended.stepResult === null ? [end] : [end, steps.resume(call, ended.stepResult, now)];
  };

  return {
    name: AI_CALLS,
    claim: claimable(AI_CALLS, tables.aiCalls),
    callsProviders: true,
    maxInHand: MAX_IN_HAND,
    process: async (rows, done, { signal, draining, giveBack }) => {
      const tasks = await steps.tasksOf(rows);
      if (draining.aborted) return giveBack(rows);
      const each = rows.map(async (call) => {
        const found = tasks.get(call);
        if (!found) return done(call, { call, kind: 'told', stepResult: null });
        if (found.task === null) return done(call, { call, kind: 'told', stepResult: without('prompt_too_large') });
        const { orgId } = found.scope;
        if (!enter(orgId)) {
          const at = new Date(clock.now().getTime() + NO_PLACE_MS);
          return done(call, { call, kind: 'again', at, tries: call.tries });
        }
        try {
          const answer = await ask(orgId, found.task, call.tries, signal);
          if (answer.kind === 'later') done(call, { call, kind: 'again', at: answer.at, tries: call.tries + 1 });
          else done(call, { call, kind: 'told', stepResult: answer });
        } finally {
          leave(orgId);
        }
      });
      // Errors are thrown only now, so that answered calls are reported and not repeated.
      const failure = (await Promise.allSettled(each)).find(({ status }) => status === 'rejected');
      if (failure?.status === 'rejected') throw failure.reason;
    },
    commit: async (outcomes) => {
      const { ok } = await commitPlanned(storage, outcomes, {
        plan: async (all) => ({
          writes: all.flatMap((ended) => planned(ended, clock.now())),
          wakes: all.some(({ kind }) => kind === 'told') ? [...steps.wakes] : [],
        }),
        isLost: ({ call }, failed) => failed.has(call.id),
      });
      if (!ok) throw new Error('answers of models are lost faster than they are planned');
    },
    deadLetter: async (call) => {
      const ended = { call, kind: 'told', stepResult: without('no_answer') } as const;
      await storage.commit({ writes: planned(ended, clock.now()), wakes: [...steps.wakes] });
    },
  };
};
