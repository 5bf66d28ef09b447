// Explains why a message was sent, waits or was not sent. Nothing is stored for this: an ended message is explained by
// its row, an open one by evaluating the worker's own gates without writing.

import { notFound } from '../../../foundation/errors.ts';
import type { Scope } from '../../../foundation/scope.ts';
import type { ExplainedMessage, GateVerdict, MessageExplanation } from '../answers.generated.ts';
import type { Evidence, SendsApi } from '../api.ts';
import type { SendsContext } from '../context.ts';
import { hasEnded } from '../finalize/change.ts';
import { viewOfMessage } from '../read/view.ts';
import { HELD, UNREACHABLE } from '../schema.ts';
import type { MessageRow } from '../store.ts';
import { UNHANDLED, type Verdict } from '../verdict.ts';
import { type OpenSealed, sendContentReader } from './content.ts';
import { connectionKeyOf } from './dispatch.ts';
import { factsLoader } from './facts.ts';
import { gates } from './gates/evaluate.ts';
import type { Moment } from './gates/gate.ts';
import type { Batch, ReadyMessage } from './message.ts';

type Explained = Omit<MessageExplanation, 'waitingFor'>;
type GateResult = Pick<GateVerdict, 'verdict' | 'reason' | 'errorCode' | 'error' | 'deferredUntil'>;

/** A gate or reservation that may stop a message, in one shape. */
type Step = {
  readonly name: string;
  stopped(row: MessageRow): boolean;
  storedEvidence(row: MessageRow): Evidence;
  evaluateNow(
    message: ReadyMessage,
    moment: Moment,
  ): Promise<{ readonly verdict: Verdict; readonly evidence: Evidence }>;
};

/** An explained message is not leased, so nothing aborts it. */
const NEVER = new AbortController().signal;
const NO_BATCH: Batch = {
  signal: NEVER,
  draining: NEVER,
  end: () => undefined,
  fail: () => undefined,
  giveBack: () => undefined,
};

const gateResultOf = (verdict: Verdict): GateResult => {
  switch (verdict.verdict) {
    case 'failed':
      return { verdict: verdict.verdict, errorCode: verdict.code, error: verdict.message };
    case 'deferred':
      return { verdict: verdict.verdict, reason: verdict.reason, deferredUntil: verdict.until };
    default:
      return verdict;
  }
};

const endOf = ({ status, reason, errorCode, error }: MessageRow): GateResult => {
  if (status === 'suppressed') return { verdict: status, reason };
  return status === 'cancelled' ? { verdict: status } : { verdict: 'failed', errorCode, error };
};

/** True while the lease runs: a worker has the message. */
const isInHand = ({ leaseUntil }: MessageRow, now: Date): boolean => leaseUntil !== null && leaseUntil > now;

const waitingForOf = (row: MessageRow, now: Date): MessageExplanation['waitingFor'] => {
  const { status, reason, errorCode, dueAt } = row;
  if (hasEnded(status)) return null;
  if (isInHand(row, now)) return { kind: status === 'sending' ? 'response' : 'worker', until: null };
  const until = dueAt !== null && dueAt > now ? dueAt : null;
  // Also if it is due: the last message was rejected, and only an accepted one ends the hold.
  if (reason === HELD) return { kind: 'credentials', until };
  if (dueAt === null || until === null) return { kind: 'worker', until: null };
  if (reason === UNREACHABLE) return { kind: 'provider', until: dueAt };
  if (status === 'deferred') return { kind: 'deferral', until: dueAt };
  return { kind: errorCode === null ? 'capacity' : 'retry', until: dueAt };
};

/** The same verdict for every step. */
const sameVerdict = (steps: readonly Step[], row: MessageRow, verdict: 'pass' | 'unknown'): GateVerdict[] =>
  steps.map(({ name, storedEvidence: kept }) => ({ gate: name, verdict, evidence: kept(row) }));

/** Explains a message that has ended. */
const explainEnded = (steps: readonly Step[], row: MessageRow): Explained => {
  const at = steps.findIndex(({ stopped }) => stopped(row));
  const stopper = steps[at];
  if (stopper) {
    const isMade = row.fence === 0 && row.status === 'suppressed';
    const before = isMade ? 'not_reached' : 'pass';
    return {
      evaluated: isMade ? 'at_acceptance' : 'from_record',
      stoppedBy: stopper.name,
      gates: steps.map((step, place): GateVerdict => {
        if (step === stopper) return { gate: step.name, ...endOf(row), evidence: step.storedEvidence(row) };
        const verdict = place < at ? before : 'not_reached';
        return { gate: step.name, verdict, evidence: verdict === 'pass' ? step.storedEvidence(row) : {} };
      }),
    };
  }
  if (row.error === UNHANDLED)
    return { evaluated: 'from_record', stoppedBy: 'worker', gates: sameVerdict(steps, row, 'unknown') };
  const wasAccepted = row.status === 'sent' || row.status === 'delivered';
  // A message held until it was too old may have reached no gate.
  const gates = sameVerdict(steps, row, row.attempt > 0 ? 'pass' : 'unknown');
  return { evaluated: 'from_record', stoppedBy: wasAccepted ? null : 'provider', gates };
};

/** Explains an open message from its facts. */
const explainOpen = async (steps: readonly Step[], message: ReadyMessage, moment: Moment): Promise<Explained> => {
  const results: GateVerdict[] = [];
  let stoppedBy: string | null = null;
  for (const { name, evaluateNow: ask } of steps) {
    if (stoppedBy !== null) {
      results.push({ gate: name, verdict: 'not_reached', evidence: {} });
      continue;
    }
    const { verdict, evidence } = await ask(message, moment);
    if (verdict.verdict !== 'pass') stoppedBy = name;
    results.push({ gate: name, ...gateResultOf(verdict), evidence });
  }
  return { evaluated: 'now', stoppedBy, gates: results };
};

/** An explanation renders the message without its sealed values. */
const hiddenValues: OpenSealed = async () => ({ auth: {}, expiresAt: null });

/** Makes the function that reads a message and explains its status. */
export const messageExplainer = (context: SendsContext): SendsApi['message'] => {
  const { storage, store, hot, clock, connections, reservations, tests } = context;
  const steps: readonly Step[] = [
    ...gates(context).map(({ evaluate, evidence, ...gate }): Step => {
      return {
        ...gate,
        evaluateNow: async (message, moment) => ({
          verdict: evaluate(message, moment),
          evidence: evidence(message, moment),
        }),
      };
    }),
    ...reservations.map(({ name, stopped, explain }): Step => {
      return { name, stopped, storedEvidence: () => ({}), evaluateNow: (message, { now }) => explain(message, now) };
    }),
  ];

  const explainNow = async (scope: Scope, row: MessageRow, now: Date): Promise<Explained> => {
    const key = connectionKeyOf(row);
    const connectionOf = await connections.load([key]);
    const loadFacts = factsLoader({
      ...context,
      loadTests: tests.load,
      readContents: sendContentReader(storage, hot, hiddenValues),
    });
    const leased = { row, connection: connectionOf(key), batch: NO_BATCH };
    const [[message], send] = await Promise.all([loadFacts([leased]), store.send(scope, row.channel, row.sendId)]);
    if (!message) throw new Error('facts of a message are missing');
    return explainOpen(steps, message, { now, sendStatus: send?.status ?? null });
  };

  const explained = (scope: Scope, row: MessageRow, now: Date): Explained | Promise<Explained> => {
    if (hasEnded(row.status)) return explainEnded(steps, row);
    // A message at its provider passed every gate.
    if (row.status === 'sending' && isInHand(row, now))
      return { evaluated: 'now', stoppedBy: null, gates: sameVerdict(steps, row, 'pass') };
    return explainNow(scope, row, now);
  };

  return async (scope, channel, id): Promise<ExplainedMessage> => {
    const row = await store.message(scope, channel, id);
    if (!row) throw notFound('message with this id', scope);
    const now = clock.now();
    const { evaluated, stoppedBy, gates: results } = await explained(scope, row, now);
    return {
      ...viewOfMessage(row),
      explanation: { evaluated, stoppedBy, waitingFor: waitingForOf(row, now), gates: results },
    };
  };
};
