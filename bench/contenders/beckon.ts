// The built packages as a host program runs them, worker included.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Core from '@beckon/core';
import type * as Http from '@beckon/http';
import { answerParent, meter, rssMb } from '../lib/child.ts';
import { eventType, PROJECTS, projectOf, traitsOf, USERS, userId } from '../lib/fixtures.ts';

export type Start = {
  /** Checkout whose built packages are run. */
  readonly root: string;
  readonly db: string;
  /** Each request gets a transaction of its own: what group commit is compared with. */
  readonly isOneByOne: boolean;
};

const usage = meter();
let service: { readonly beckon: Core.Beckon; readonly scopes: readonly Core.Scope[] } | undefined;

const built = (root: string, name: string): string => pathToFileURL(join(root, 'packages', name, 'dist/index.js')).href;

/** The same service with one event in hand at a time, so that no two share a commit. */
const oneByOne = (beckon: Core.Beckon): Core.Beckon => {
  let tail: Promise<unknown> = Promise.resolve();
  const accept: Core.EventsApi['accept'] = (scope, body, options) => {
    const turn = tail.then(() => beckon.events.accept(scope, body, options));
    tail = turn.catch(() => undefined);
    return turn;
  };
  return { ...beckon, events: { ...beckon.events, accept } };
};

/** Active, looked at for the commonest event, and never matched. */
const workflow = {
  name: 'Win back',
  description: null,
  trigger: { eventType: eventType(0), filters: { category: 'none' } },
  steps: [{ type: 'wait', config: { minutes: 60 } }] as const,
  isActive: true,
};

const start = async ({ root, db, isOneByOne }: Start): Promise<{ port: number; keys: string[] }> => {
  // Safe: these files are built from the packages that the types are taken from.
  const core = (await import(built(root, 'core'))) as typeof Core;
  const http = (await import(built(root, 'http'))) as typeof Http;
  const beckon = await core.createBeckon({ db, masterKey: randomBytes(32).toString('hex') });
  const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Bench' });
  const keys: string[] = [];
  const scopes: Core.Scope[] = [];
  for (let at = 0; at < PROJECTS; at += 1) {
    const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: `Project ${at}` });
    const grants = [{ orgId, projectId }];
    keys.push((await beckon.tenancy.createKey({ kind: 'public', environment: 'prod', grants })).secret);
    const bundle = { version: 1, exportedAt: '2026-01-05T08:00:00.000Z', workflows: [workflow] } as const;
    const scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'prod' });
    await beckon.workflows.importBundle(scope, bundle);
    scopes.push(scope);
  }
  service = { beckon, scopes };
  beckon.worker.start();
  const { url } = await http.listen(http.createHandler(isOneByOne ? oneByOne(beckon) : beckon), { port: 0 });
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
