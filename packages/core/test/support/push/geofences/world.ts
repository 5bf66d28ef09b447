import { createBeckon } from '../../../../src/app/create.ts';
import { virtualClock } from '../../../../src/foundation/clock.ts';
import { newMasterKey } from '../../../../src/foundation/secrets.ts';

/** A service on a database, with both environments of one project. */
export const geofenceWorld = async (db: string) => {
  const clock = virtualClock('2026-03-01T10:00:00.000Z');
  const beckon = await createBeckon({ db, masterKey: newMasterKey(), clock });
  const org = await beckon.tenancy.createOrg({ name: 'Acme' });
  const project = await beckon.tenancy.createProject({ orgId: org.id, name: 'App' });
  const scopeIn = (environment: 'prod' | 'test') =>
    beckon.tenancy.scope({ orgId: org.id, projectId: project.id, environment });
  return { beckon, clock, scope: await scopeIn('test'), other: await scopeIn('prod') };
};
