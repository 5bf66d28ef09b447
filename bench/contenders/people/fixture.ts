// A database with users and segments as the product would have built them.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Core from '@beckon/core';
import { byHand } from './by-hand.ts';
import { fillAudience, fillPeople } from './people.ts';
import { conditionOf, type PREDICATES, type windowOf } from './predicates.ts';

type Asked = (typeof PREDICATES)[keyof typeof PREDICATES] | ReturnType<typeof windowOf>;

/** What is needed to open such a database, or a copy of it. */
export type Fixture = {
  readonly masterKey: string;
  readonly orgId: string;
  readonly projectId: string;
  readonly scopeId: number;
  /** In the order in which they were requested. */
  readonly audiences: readonly string[];
};
export type Opened = { readonly beckon: Core.Beckon; readonly scope: Core.Scope };

const coreOf = async (root: string): Promise<typeof Core> =>
  // Safe: the file is built from the package that the types come from.
  (await import(pathToFileURL(join(root, 'packages/core/dist/index.js')).href)) as typeof Core;

/** Creates it and closes it, so that it can be copied without connections. */
export const makeFixture = async (
  root: string,
  url: string,
  people: number,
  asked: readonly Asked[],
): Promise<Fixture> => {
  const masterKey = randomBytes(32).toString('hex');
  const beckon = await (await coreOf(root)).createBeckon({ db: url, masterKey });
  const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Bench' });
  const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'Bench' });
  const scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'prod' });
  const { scopeId } = scope;
  const audiences: string[] = [];
  for (const [at, { predicate }] of asked.entries())
    audiences.push((await beckon.audiences.create(scope, { name: `Audience ${at}`, predicate })).id);
  await beckon.close();
  const hand = await byHand(url);
  await fillPeople(hand, scopeId, people);
  for (const [at, audience] of audiences.entries()) {
    const of = asked[at];
    if (of) await fillAudience(hand, { scopeId, audience, condition: conditionOf(hand, of) });
  }
  await hand.close();
  return { masterKey, orgId, projectId, scopeId, audiences };
};

/** Opens the built product on such a database. */
export const openFixture = async (root: string, db: string, fixture: Fixture): Promise<Opened> => {
  const { masterKey, orgId, projectId } = fixture;
  const beckon = await (await coreOf(root)).createBeckon({ db, masterKey });
  return { beckon, scope: await beckon.tenancy.scope({ orgId, projectId, environment: 'prod' }) };
};
