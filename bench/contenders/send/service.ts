// The built product with one organization, project and scope, whose providers and receivers are the stand-ins.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Core from '@beckon/core';
import { meter, type Usage } from '../../lib/child.ts';
import { outboundOf, type World } from './fixtures.ts';

export type Service = {
  readonly beckon: Core.Beckon;
  readonly scope: Core.Scope;
  /** Warnings of the product since the last call. */
  problems(): readonly string[];
};

/** Email sends per minute. Chosen: more than a run makes, so that the rate limit stops none. */
const MAILS_PER_MINUTE = 60_000;

/** @param root checkout of the built packages */
export const openService = async (root: string, db: string, world: World): Promise<Service> => {
  const problems: string[] = [];
  const note = (fields: Readonly<Record<string, unknown>>, message: string): void => {
    problems.push(`${message} (${fields['reason'] ?? fields['error']})`);
  };
  // Safe: the file is built from the package that the types come from.
  const core = (await import(pathToFileURL(join(root, 'packages/core/dist/index.js')).href)) as typeof Core;
  const beckon = await core.createBeckon({
    db,
    masterKey: randomBytes(32).toString('hex'),
    outbound: outboundOf(world),
    email: { mailsPerMinute: MAILS_PER_MINUTE },
    log: { info: () => undefined, warn: note, error: note },
  });
  const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Bench' });
  const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'Bench' });
  const scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'prod' });
  return { beckon, scope, problems: () => problems.splice(0) };
};

/** Concurrent calls while nothing is measured: waiting for a PostgreSQL connection has a limit of a few seconds. */
const AT_ONCE = 200;

export const each = async (count: number, work: (at: number) => Promise<unknown>): Promise<void> => {
  for (let first = 0; first < count; first += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - first) }, (_, at) => work(first + at)));
};

export type Ended = Usage & { readonly problems: readonly string[] };

/** Answers a parent's requests for a service that sends. */
export const atWork = (running: () => Service) => {
  const usage = meter();
  return {
    begin: () => {
      usage.begin();
      running().beckon.worker.start();
    },
    /** Cost of the stretch, and warnings of the product since the last call. */
    end: (): Ended => ({ ...usage.end(), problems: running().problems() }),
    rest: () => running().beckon.worker.stop(),
  };
};
