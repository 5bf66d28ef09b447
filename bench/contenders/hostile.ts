// The built service, which reports how long a request blocked its event loop.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Core from '@beckon/core';
import type * as Http from '@beckon/http';
import { answerParent } from '../lib/child.ts';

export type Start = { readonly root: string; readonly db: string };
export type Started = { readonly url: string; readonly key: string };

const built = (root: string, name: string): string => pathToFileURL(join(root, 'packages', name, 'dist/index.js')).href;

const start = async ({ root, db }: Start): Promise<Started> => {
  // Safe: these files are built from the packages that the types come from.
  const core = (await import(built(root, 'core'))) as typeof Core;
  const http = (await import(built(root, 'http'))) as typeof Http;
  const beckon = await core.createBeckon({
    ...{ db, masterKey: randomBytes(32).toString('hex') },
    // One client sends every request.
    limits: { callsPerMinute: 1_000_000, ingestPerSecond: 1_000_000, ingestBurst: 1_000_000 },
  });
  const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Bench' });
  const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'Project' });
  const grants = [{ orgId, projectId }];
  const { secret } = await beckon.tenancy.createKey({ kind: 'public', environment: 'prod', grants });
  const { url } = await http.listen(http.createHandler(beckon), { port: 0 });
  return { url, key: secret };
};

/** Cost of one turn of the event loop: time, and the CPU of its thread, which other programs do not affect. */
export type Hold = { readonly holdMs: number; readonly cpuMs: number };

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

let isWatching = false;
let longest: Hold = { holdMs: 0, cpuMs: 0 };

const begin = (): void => {
  isWatching = true;
  longest = { holdMs: 0, cpuMs: 0 };
  let last: Hold = { holdMs: performance.now(), cpuMs: cpuMs() };
  const tick = (): void => {
    const now = { holdMs: performance.now(), cpuMs: cpuMs() };
    longest = {
      holdMs: Math.max(longest.holdMs, now.holdMs - last.holdMs),
      cpuMs: Math.max(longest.cpuMs, now.cpuMs - last.cpuMs),
    };
    last = now;
    if (isWatching) setImmediate(tick);
  };
  setImmediate(tick);
};

/** The longest since `begin`, of each. */
const end = (): Hold => {
  isWatching = false;
  return longest;
};

answerParent({ start, begin, end });
