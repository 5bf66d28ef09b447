// Simulates a year of a service in seconds, with all failures derived from one seed: events, edits and cancels at
// random times, processes that die between any two statements, a busy provider, and clock jumps.

import { virtualClock } from '../../../../src/foundation/clock.ts';
import { LEASE_MS } from '../../../../src/jobs/registration.ts';
import { courierOf } from './courier.ts';
import { type Deployment, openDeployment } from './deployment.ts';
import { broken } from './invariants.ts';
import { openOutside } from './outside.ts';
import { type Random, randomOf } from './random.ts';
import { EVENTS, stepsOf, workflowOf } from './workflows.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const YEAR_MS = 365 * 24 * HOUR_MS;
const BEGIN = Date.parse('2026-01-01T00:00:00.000Z');
const PEOPLE = ['ann', 'bob', 'cid', 'dot'] as const;
const MOMENTS = 14;
/** Maximum rounds of due work at one time; more mean an endless loop. */
const MAX_ROUNDS = 10_000;

/** A workflow as its editor knows it. */
export type Known = { readonly id: string; eventType: string; isActive: boolean };

/** An accepted event, and the workflows with its trigger at that time. */
export type Accepted = {
  readonly id: string;
  readonly userId: string;
  readonly eventType: string;
  readonly n: number;
  readonly at: number;
  /** Sent by an anonymous visitor who was identified as that user at once. */
  readonly isVisitor: boolean;
  readonly workflows: readonly string[];
};

export type Report = {
  readonly seed: number;
  readonly events: number;
  readonly runs: number;
  readonly steps: number;
  readonly edits: number;
  readonly crashes: number;
  /** Processes that continued after another one had taken over their work. */
  readonly overtaken: number;
  readonly merges: number;
  /** Violated invariants as sentences; empty if all hold. */
  readonly broken: readonly string[];
};

/** Id of an event that was stored before: its client never received the answer. */
const duplicateOf = (error: unknown): string => {
  const details = error instanceof Error && 'details' in error ? error.details : null;
  if (typeof details === 'object' && details !== null && 'id' in details) return String(details.id);
  throw error;
};

const drain = async (deployment: Deployment): Promise<void> => {
  await deployment.surely((beckon) => beckon.worker.drain());
};

/** Simulates one seed. The same seed gives the same year. */
export const simulate = async (seed: number): Promise<Report> => {
  const random = randomOf(seed);
  const clock = virtualClock(new Date(BEGIN));
  const courier = courierOf(randomOf(seed + 1));
  const outside = await openOutside();
  const deployment = await openDeployment(clock, randomOf(seed + 2), courier.transports, outside.models);
  const known: Known[] = [];
  const accepted: Accepted[] = [];
  let [edits, overtaken, merges] = [0, 0, 0];
  const late: string[] = [];

  /** Advances the time, with due work processed in between. */
  const until = async (moment: number): Promise<void> => {
    for (let round = 0; ; round += 1) {
      if (round === MAX_ROUNDS) throw new Error(`seed ${seed}: work is due again and again`);
      const due = await deployment.nextDue();
      if (due === null || due > moment) break;
      clock.set(new Date(Math.max(due, clock.now().getTime())));
      await drain(deployment);
    }
    clock.set(new Date(Math.max(moment, clock.now().getTime())));
  };

  const happen = async (): Promise<void> => {
    const userId = random.pick(PEOPLE);
    const [eventType, n, at] = [random.pick(EVENTS), random.int(0, 2), clock.now().getTime()];
    const isVisitor = random.chance(0.15);
    const anonymousId = `visitor-${accepted.length}`;
    const event = {
      module: 'm',
      eventType,
      ...(isVisitor ? { anonymousId } : { userId }),
      properties: { n },
      messageId: `message-${accepted.length}`,
    };
    const id = await deployment.surely((beckon, scope) =>
      beckon.events.track(scope, event).then((answer) => answer.id, duplicateOf),
    );
    if (isVisitor) {
      merges += 1;
      const input = { userId, anonymousId, traits: {}, messageId: `merge-${accepted.length}` };
      await deployment.surely((beckon, scope) => beckon.events.identify(scope, input).catch(duplicateOf));
    }
    const listening = known.filter((workflow) => workflow.isActive && workflow.eventType === eventType);
    accepted.push({ id, userId, eventType, n, at, isVisitor, workflows: listening.map((workflow) => workflow.id) });
  };

  const edit = async (workflow: Known): Promise<void> => {
    edits += 1;
    if (random.chance(0.3)) {
      workflow.isActive = !workflow.isActive;
      const { isActive } = workflow;
      await deployment.surely((beckon, scope) => beckon.workflows.update(scope, workflow.id, { isActive }));
      return;
    }
    const steps = stepsOf(random, outside.urlOf);
    await deployment.surely((beckon, scope) => beckon.workflows.update(scope, workflow.id, { steps }));
  };

  const interfere = async (how: 'cancel' | 'retry'): Promise<void> => {
    const { data } = await deployment.surely((beckon, scope) => beckon.runs.list(scope, { limit: 20 }));
    if (data.length === 0) return;
    const { id } = random.pick(data);
    await deployment.surely(async (beckon, scope) => {
      // The run has ended or is in progress: both are valid answers.
      await beckon.runs[how](scope, id).catch((error: unknown) => {
        if (!(error instanceof Error && 'code' in error && error.code === 'CONFLICT')) throw error;
      });
    });
  };

  const act = async (): Promise<void> => {
    const choice = random.next();
    if (random.chance(0.15)) deployment.dieAfter(random.int(0, 60));
    if (choice < 0.7) for (let count = random.int(1, 3); count > 0; count -= 1) await happen();
    else if (choice < 0.82) await edit(random.pick(known));
    else if (choice < 0.87) await interfere('cancel');
    else if (choice < 0.92) await interfere('retry');
    else clock.advance(random.chance(0.5) ? random.int(0, 3 * HOUR_MS) : -random.int(0, HOUR_MS));
    if (random.chance(0.5)) await stall();
    await drain(deployment);
  };

  /** Makes a call of a process hang for longer than its lease. */
  const stall = async (): Promise<void> => {
    const wrong = await deployment.overtaken(courier.hold, () => clock.advance(LEASE_MS + 1));
    if (wrong === null) return;
    overtaken += 1;
    late.push(...wrong);
  };

  const prepare = async (random_: Random): Promise<void> => {
    for (const userId of PEOPLE) {
      const traits = { steps: 0, ...(userId === 'dot' ? {} : { email: `${userId}@example.com` }) };
      await deployment.surely((beckon, scope) => beckon.events.identify(scope, { userId, traits }));
    }
    for (let index = random_.int(1, 3); index > 0; index -= 1) {
      const input = workflowOf(random_, `W${index}`, outside.urlOf);
      const { id } = await deployment.surely((beckon, scope) => beckon.workflows.create(scope, input));
      known.push({ id, eventType: input.trigger.eventType, isActive: input.isActive ?? false });
    }
  };

  try {
    await prepare(random);
    const moments = Array.from({ length: MOMENTS }, () => BEGIN + random.int(0, YEAR_MS)).sort((a, b) => a - b);
    for (const moment of moments) {
      await until(moment);
      await act();
    }
    // The longest duration of a workflow, and of a message.
    await until(BEGIN + 5 * YEAR_MS);
    const found = await broken(deployment, accepted, courier.accepted, outside.posted);
    return {
      seed,
      events: accepted.length,
      edits,
      crashes: deployment.crashes(),
      overtaken,
      merges,
      ...found,
      broken: [...found.broken, ...late],
    };
  } finally {
    await deployment.close();
    await outside.close();
  }
};
