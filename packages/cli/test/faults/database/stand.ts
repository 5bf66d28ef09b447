import { expect } from 'vitest';
import type { Running } from '../../beckon.ts';
import { type Deployment, type Engine, urlOf } from '../../kill/deployment.ts';
import { killSeed } from '../../kill/random.ts';
import { print } from '../figures.ts';
import { type Outcome, ordeal } from './apply-fault.ts';

/** Source: reliability, fault matrix (partition). */
const RECOVERY_MS = 10_000;
/** Maximum wrong responses printed. */
const SHOWN = 10;

/** A workflow that starts for marked events. */
export const countingWorkflow = {
  name: 'Count',
  description: null,
  isActive: true,
  trigger: { eventType: 'counted' },
  steps: [
    { type: 'update_profile', config: { increment: { count: 1 } } },
    { type: 'update_profile', config: { increment: { second: 1 } } },
    { type: 'update_profile', config: { increment: { third: 1 } } },
  ],
};

export const seed = killSeed();

/** One server on one database for a series of faults. */
export type Stand = { readonly deployment: Deployment; readonly server: Running; readonly base: string };

/** Starts the server. */
export const serveOn = async (deployment: Deployment, env: Readonly<Record<string, string>> = {}): Promise<Stand> => {
  const server = deployment.start(['serve', '--port', '0', '--worker'], env);
  return { deployment, server, base: await urlOf(server) };
};

const seconds = (ms: number): string => (ms / 1_000).toFixed(1);
let ordeals = 0;

/** Prints the result of a fault and asserts the promises. */
export const runFault = async (
  { deployment, server, base }: Stand,
  name: string,
  fault: () => Promise<void>,
  figures: Readonly<Record<string, number | string>> = {},
): Promise<Outcome> => {
  ordeals += 1;
  const outcome = await ordeal(deployment, server, base, `o${ordeals}`, fault);
  const { acked, found, lost, dup, late, wrong, codes, reads, recoveryMs, workMs, slowestMs } = outcome;
  const counts = Object.entries(codes).map(([code, count]) => `${code}: ${count}`);
  const engine: Engine = deployment.engine;
  const line = { ...figures, acked, found, lost, dup, late, wrong: wrong.length, codes: `(${counts.join(', ')})` };
  const times = {
    readsDuring: reads,
    recoveryS: seconds(recoveryMs),
    workS: Number.isFinite(workMs) ? seconds(workMs) : 'a lease',
    slowestS: seconds(slowestMs),
  };
  print(`database ${name}`, engine, { ...line, ...times }, seed);
  expect(wrong.slice(0, SHOWN)).toEqual([]);
  expect({ lost, dup, late }).toEqual({ lost: 0, dup: 0, late: 0 });
  expect(found).toBe(acked);
  expect(acked).toBeGreaterThan(0);
  expect(recoveryMs).toBeLessThanOrEqual(RECOVERY_MS);
  expect(server.child.exitCode).toBeNull();
  return outcome;
};
