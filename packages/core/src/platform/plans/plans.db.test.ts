import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTenancy, type TenancyFixture } from '../../../test/support/tenancy/tenancy-fixture.ts';
import type { Storage } from '../../database/storage.ts';
import { type PlanSource, plansEngine } from './plans.ts';

describe('plans of organizations', () => {
  let at: TenancyFixture;
  let orgId: string;
  beforeEach(async () => {
    at = await openTenancy();
    ({ orgId } = await at.tenant('Acme'));
  });
  afterEach(() => at.close());

  const process = (change: Partial<PlanSource & { storage: Storage }> = {}) => {
    const { planNames, setPlan } = at.tenancy;
    return plansEngine({ storage: at.silent(), clock: at.clock, planNames, setPlan, ...change });
  };
  const needs = (requiredPlan: string) => ({ code: 'tier_required', details: { requiredPlan } });

  it('an organization without a plan may do everything, and others what their plan includes', async () => {
    const { api } = process();
    expect(await api.of(orgId)).toMatchObject({ name: 'unlimited' });
    await api.require({ orgId }, 'scim');
    await api.set(orgId, 'starter');
    await api.require({ orgId }, 'templates');
    await expect(api.require({ orgId }, 'geofences')).rejects.toMatchObject(needs('growth'));
    expect((await at.tenancy.listOrgs()).data.map(({ plan }) => plan)).toEqual(['starter']);
  });

  it('a plan change reaches a process without signals within 10 s', async () => {
    const [here, there] = [process(), process()];
    await there.require({ orgId }, 'geofences');
    await here.api.set(orgId, 'free');
    await expect(here.require({ orgId }, 'geofences')).rejects.toMatchObject(needs('growth'));
    at.clock.advance(9_999);
    await there.require({ orgId }, 'geofences');
    at.clock.advance(1);
    await expect(there.require({ orgId }, 'geofences')).rejects.toMatchObject(needs('growth'));
  });

  it('a plan change reaches another process by its signal without polling', async () => {
    const { storage } = at.database;
    const [here, there] = [process({ storage }), process({ storage })];
    await there.require({ orgId }, 'geofences');
    await here.api.set(orgId, 'free');
    if (at.database.dialect === 'postgres') at.clock.advance(10_000);
    await expect(there.require({ orgId }, 'geofences')).rejects.toMatchObject(needs('growth'));
    here.close();
    there.close();
  });

  it('a plan that no longer exists counts as the lowest one', async () => {
    await process().api.set(orgId, 'growth');
    const small = { name: 'small', gates: [], eventsPerMonth: 5, retentionDays: 7 };
    expect(await process({ plans: [small] }).api.of(orgId)).toEqual(small);
    await expect(process({ plans: [small] }).require({ orgId }, 'templates')).rejects.toMatchObject(needs('unlimited'));
  });

  it('a plan can be set for an existing organization and by an existing name only', async () => {
    const { api } = process();
    const refused = { code: 'VALIDATION_ERROR', details: { fieldErrors: { plan: [expect.any(String)] } } };
    await expect(api.set(orgId, 'golden')).rejects.toMatchObject(refused);
    await expect(api.set('nobody', 'free')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(api.of('nobody')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(process().require({ orgId: 'nobody' }, 'templates')).rejects.toMatchObject(needs('starter'));
  });
});
