import { describe, expect, it } from 'vitest';
import { GATES, planList, planTable, tierRequired } from './plan.ts';

const own = (change: object = {}) => ({ name: 'small', gates: [], eventsPerMonth: 5, retentionDays: 7, ...change });

describe('default plans', () => {
  const table = planTable();

  it('the default plans include the gates of the interface, and each those of the plans before it', () => {
    const needed = Object.fromEntries(GATES.map((gate) => [gate, table.opens(gate).name]));
    expect(needed).toEqual({
      ...{ audienceSends: 'starter', scheduledSends: 'starter', abTests: 'starter', templates: 'starter' },
      ...{ geofences: 'growth', liveActivities: 'growth', workflowBundles: 'growth' },
      ...{ jwtClaims: 'growth', sharedModels: 'growth' },
      ...{ sso: 'business', scim: 'business', rateLimits: 'business' },
    });
    const sizes = table.all.map(({ gates }) => gates.length);
    expect(sizes).toEqual([0, 4, 9, 12, 12]);
  });

  it('the default plans have the quotas and retention of the contract', () => {
    expect(table.all.map(({ name, eventsPerMonth, retentionDays }) => [name, eventsPerMonth, retentionDays])).toEqual([
      ['free', 10_000, 30],
      ['starter', 100_000, 90],
      ['growth', 1_000_000, 400],
      ['business', null, 400],
      ['unlimited', null, 400],
    ]);
  });
});

describe('planTable', () => {
  it("a deployment's plans replace the default ones and come before `unlimited`", () => {
    const table = planTable([own(), own({ name: 'large', gates: ['sso'] })]);
    expect(table.all.map(({ name }) => name)).toEqual(['small', 'large', 'unlimited']);
    expect([table.opens('sso').name, table.opens('templates').name]).toEqual(['large', 'unlimited']);
    expect([table.find('free'), table.least.name, planTable([]).least.name]).toEqual([undefined, 'small', 'unlimited']);
  });

  it.each([
    ['a name twice', [own(), own()]],
    ['the plan that is always there', [own({ name: 'unlimited' })]],
    ['a gate that there is not', [own({ gates: ['everything'] })]],
    ['more days than anything is kept', [own({ retentionDays: 401 })]],
    ['less than no event', [own({ eventsPerMonth: -1 })]],
  ])('a list of plans may not have %s', (_, plans) => {
    expect(planList.safeParse([own({ name: 'other' })]).success).toBe(true);
    expect(planList.safeParse(plans).success).toBe(false);
  });
});

describe('tierRequired', () => {
  it('a missing gate is reported with the plan that includes it', () => {
    expect(tierRequired('geofences', 'growth')).toMatchObject({
      ...{ status: 402, code: 'tier_required', details: { requiredPlan: 'growth' } },
    });
  });
});
