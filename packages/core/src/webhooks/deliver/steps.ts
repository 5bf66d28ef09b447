// Webhook steps of workflows. Their requests are ordinary deliveries with a target of their own in place of a webhook. The
// transaction that ends a delivery also resumes its run.

import type { Write } from '../../database/commit/write-set.ts';
import type { Clock } from '../../foundation/clock.ts';
import { cleanText, isObject } from '../../foundation/json.ts';
import { type InScope, type Scope, type ScopeDirectory, scopeOf } from '../../foundation/scope.ts';
import { UnreadableSecret } from '../../foundation/secrets.ts';
import type { WorkflowSecrets } from '../../platform/tenancy/secrets/workflow-secrets.ts';
import type { Poster, PostResult } from '../post.ts';
import { signedHeaders } from '../sign.ts';
import type { LeasedDelivery } from '../statements.ts';
import type { StepTarget } from '../tables.ts';
import { deliveryIds } from './delivery-ids.ts';
import { type DeliveryState, ended, settled } from './outcome.ts';

/** A step of a run that waits for its delivery. */
export type PostingStep = InScope & { readonly runId: string; readonly path: string; readonly attempt: number };

/** The result of a step's delivery. */
export type StepResult = {
  readonly outcome: 'delivered' | 'failed';
  readonly reason: string | null;
  readonly status: number | null;
  /** The response body if it is JSON, otherwise null. */
  readonly body: unknown;
};

/** Runs whose webhook steps wait. */
export type StepRuns = {
  /** False if the run ended or moved on, so nothing is posted any more. */
  isWaiting(step: PostingStep): Promise<boolean>;
  /** Makes the run due with the result. */
  resume(step: PostingStep, result: StepResult, now: Date): Write;
  /** The queues that `tell` fills. */
  readonly wakes: readonly string[];
};

/** Values of secrets, and the project's signing secrets, newest first. Both throw UnreadableSecret. */
type StepSecrets = Pick<WorkflowSecrets, 'valuesOf' | 'signingSecrets'>;

/** One attempt of a step's delivery; `result` is null if nothing was posted. */
export type StepAttempt = { readonly state: DeliveryState; readonly result: PostResult | null };

const placeOf = (row: LeasedDelivery, { runId, path, attempt }: StepTarget): PostingStep => ({
  ...scopeOf(row),
  runId,
  path,
  attempt,
});

/** Removes characters that PostgreSQL cannot store, and the key `__proto__`. */
const storableValue = (_: string, value: unknown): unknown => {
  if (typeof value === 'string') return cleanText(value);
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([key]) => key !== '__proto__');
  return Object.fromEntries(members.map(([key, member]) => [cleanText(key), member]));
};

const jsonOf = (bytes: Uint8Array | undefined): unknown => {
  try {
    return JSON.parse(Buffer.from(bytes ?? []).toString(), storableValue);
  } catch {
    return null;
  }
};

/** The result of a finished delivery; null if it is not finished. Throws nothing. */
export const stepResultOf = (
  { status, reason, dueAt }: DeliveryState,
  result: PostResult | null,
): StepResult | null => {
  if (dueAt !== null || (status !== 'delivered' && status !== 'failed')) return null;
  return { outcome: status, reason, status: result?.status ?? null, body: jsonOf(result?.answer) };
};

export type StepPoster = {
  /** Makes one attempt. Rejects with the reason of `signal`, and with what the database throws. */
  attempt(row: LeasedDelivery, target: StepTarget, body: Uint8Array, signal: AbortSignal): Promise<StepAttempt>;
  /** The write that resumes the run, if the delivery is finished. */
  resumeWrites(row: LeasedDelivery, target: StepTarget, attempted: StepAttempt, now: Date): Write[];
  readonly wakes: readonly string[];
};

export const stepPoster = ({
  clock,
  scopes,
  poster,
  runs,
  secrets,
}: {
  readonly clock: Clock;
  readonly scopes: ScopeDirectory;
  readonly poster: Pick<Poster, 'post'>;
  readonly runs: StepRuns;
  readonly secrets: StepSecrets;
}): StepPoster => {
  const headersOf = async (scope: Scope, { headers }: StepTarget): Promise<Readonly<Record<string, string>> | null> => {
    const names = Object.values(headers).flatMap((parts) =>
      parts.flatMap((part) => (typeof part === 'string' ? [] : [part.secret])),
    );
    const values = names.length === 0 ? {} : await secrets.valuesOf(scope, names);
    if (names.some((name) => !Object.hasOwn(values, name))) return null;
    return Object.fromEntries(
      Object.entries(headers).map(([name, parts]) => [
        name,
        parts.map((part) => (typeof part === 'string' ? part : values[part.secret])).join(''),
      ]),
    );
  };

  const posted = async (
    row: LeasedDelivery,
    target: StepTarget,
    body: Uint8Array,
    signal: AbortSignal,
  ): Promise<StepAttempt> => {
    const beganAt = clock.now();
    const scope = (await scopes.load([row.scopeId]))(row.scopeId);
    const configured = await headersOf(scope, target);
    if (configured === null) return { state: ended(row, 'failed', 'missing_secret', beganAt), result: null };
    const protocol: Readonly<Record<string, string>> = target.isSigned
      ? signedHeaders({ id: row.eventId, at: beganAt, body, secrets: await secrets.signingSecrets(scope) })
      : { 'content-type': 'application/json' };
    const { url, limitMs } = target;
    const ids = { ...deliveryIds(row), 'beckon.run_id': target.runId, 'beckon.step.path': target.path };
    const about = { scope: scopeOf(row), ids };
    const result = await poster.post(
      { url, headers: { ...configured, ...protocol }, body, limitMs, isAnswerKept: true, about },
      signal,
    );
    return { state: settled(row, beganAt, result), result };
  };

  return {
    attempt: async (row, target, body, signal) => {
      if (!(await runs.isWaiting(placeOf(row, target))))
        return { state: ended(row, 'cancelled', 'run_over', clock.now()), result: null };
      try {
        return await posted(row, target, body, signal);
      } catch (error) {
        if (!(error instanceof UnreadableSecret)) throw error;
        return { state: ended(row, 'failed', 'secret_unreadable', clock.now()), result: null };
      }
    },
    resumeWrites: (row, target, { state, result }, now) => {
      const stepResult = stepResultOf(state, result);
      return stepResult === null ? [] : [runs.resume(placeOf(row, target), stepResult, now)];
    },
    wakes: runs.wakes,
  };
};
