// The built packages in a host program, with a worker.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Core from '@beckon/core';
import type * as Http from '@beckon/http';
import { answerParent, meter, rssMb } from '../lib/child.ts';
import { eventType, PROJECTS, projectOf, threeSteps, traitsOf, USERS, userId } from '../lib/fixtures.ts';

export type Start = {
  /** Checkout of the built packages. */
  readonly root: string;
  readonly db: string;
  /** Each request has its own transaction: the baseline of group commit. */
  readonly isOneByOne: boolean;
  /** Calls are not counted: the baseline of rate limits. */
  readonly isUncounted?: boolean;
  /** The organization has a monthly quota that is never reached. */
  readonly hasQuota?: boolean;
  /** Events of type `STARTS` start runs. */
  readonly startsRuns?: boolean;
};

const usage = meter();
let service: { readonly beckon: Core.Beckon; readonly scopes: readonly Core.Scope[] } | undefined;

const built = (root: string, name: string): string => pathToFileURL(join(root, 'packages', name, 'dist/index.js')).href;

/** The same service with one event in progress at a time, so that no two share a commit. */
const oneByOne = (beckon: Core.Beckon): Core.Beckon => {
  let tail: Promise<unknown> = Promise.resolve();
  const accept: Core.EventsApi['track'] = (scope, body, options) => {
    const turn = tail.then(() => beckon.events.track(scope, body, options));
    tail = turn.catch(() => undefined);
    return turn;
  };
  return { ...beckon, events: { ...beckon.events, track: accept } };
};

/** Above what one client can send: limits are counted, and reject nothing. */
const LIMITS = { callsPerMinute: 1_000_000, ingestPerSecond: 1_000_000, ingestBurst: 1_000_000 };

/** A quota that counts every event and is never reached. */
const PLAN: Core.PlanInput = {
  ...{ name: 'bench', gates: ['workflowBundles'], eventsPerMonth: 1_000_000_000, retentionDays: 400 },
};

/** The same service without rate limit buckets. */
const uncounted = (beckon: Core.Beckon): Core.Beckon => {
  const bucket = { key: 'none', periodUs: 1, burst: LIMITS.ingestBurst };
  const calls: Core.Beckon['limits']['calls'] = {
    ...{ bucketOf: () => bucket, attempts: () => bucket, left: () => bucket.burst },
    ...{ check: () => undefined, take: () => undefined, giveBack: () => undefined },
  };
  return { ...beckon, limits: { ...beckon.limits, calls } };
};

/** Active, with the most frequent event as its trigger, and a filter that never matches. */
const workflow = {
  name: 'Win back',
  description: null,
  trigger: { eventType: eventType(0), filters: { category: 'none' } },
  steps: [{ type: 'wait', config: { minutes: 60 } }] as const,
  isActive: true,
};

const start = async ({
  root,
  db,
  isOneByOne,
  isUncounted = false,
  hasQuota = false,
  startsRuns = false,
}: Start): Promise<{ port: number; keys: string[] }> => {
  // Safe: these files are built from the packages that the types come from.
  const core = (await import(built(root, 'core'))) as typeof Core;
  const http = (await import(built(root, 'http'))) as typeof Http;
  const options = { db, masterKey: randomBytes(32).toString('hex') };
  const beckon = await core.createBeckon({ ...options, limits: LIMITS, plans: [PLAN] }).catch((error: unknown) => {
    // An older build, for comparison, has neither limits nor plans and rejects the options.
    if (error instanceof TypeError) return core.createBeckon(options);
    throw error;
  });
  const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Bench' });
  if (hasQuota) await beckon.plans.set(orgId, PLAN.name);
  const keys: string[] = [];
  const scopes: Core.Scope[] = [];
  for (let at = 0; at < PROJECTS; at += 1) {
    const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: `Project ${at}` });
    const grants = [{ orgId, projectId }];
    keys.push((await beckon.tenancy.createKey({ kind: 'public', environment: 'prod', grants })).secret);
    const workflows = startsRuns ? [workflow, threeSteps] : [workflow];
    const bundle = { version: 1, exportedAt: '2026-01-05T08:00:00.000Z', workflows } as const;
    const scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'prod' });
    await beckon.workflows.importBundle(scope, bundle);
    scopes.push(scope);
  }
  service = { beckon, scopes };
  beckon.worker.start();
  const served = isOneByOne ? oneByOne(beckon) : isUncounted ? uncounted(beckon) : beckon;
  const { url } = await http.listen(http.createHandler(served), { port: 0 });
  return { port: Number(new URL(url).port), keys };
};

/** Gives every user a profile with eight traits. */
const seed = async (): Promise<void> => {
  if (!service) throw new Error('not started');
  const { beckon, scopes } = service;
  const calls = Array.from({ length: USERS }, (_, index) => {
    const scope = scopes[projectOf(index)];
    return scope && beckon.events.identify(scope, { userId: userId(index), traits: traitsOf(index, 0) });
  });
  await Promise.all(calls);
};

answerParent({ start, seed, idle: rssMb, begin: usage.begin, end: usage.end });
