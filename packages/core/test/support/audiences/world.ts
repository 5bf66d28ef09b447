import { createBeckon } from '../../../src/app/create.ts';
import { virtualClock } from '../../../src/foundation/clock.ts';
import { newMasterKey } from '../../../src/foundation/secrets.ts';

/** A service on an existing database, with a scope and a second one. */
export const audienceWorld = async (db: string) => {
  const clock = virtualClock('2026-03-01T12:00:00.000Z');
  const beckon = await createBeckon({ db, masterKey: newMasterKey(), clock });
  const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Acme' });
  const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
  const names = { orgId, projectId };
  return {
    beckon,
    clock,
    scope: await beckon.tenancy.scope({ ...names, environment: 'test' }),
    other: await beckon.tenancy.scope({ ...names, environment: 'prod' }),
  };
};
