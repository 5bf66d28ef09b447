import { describe, expect, it } from 'vitest';
import { testScope } from '../../../../test/support/scopes.ts';
import { sentScopes } from './scopes.ts';
import type { PlanContext } from './step.ts';

const scope = testScope({ orgId: 'org-a', projectId: 'app', environment: 'test' });
const at = new Date('2026-03-01T12:00:00.000Z');
const run = {
  id: 'r',
  scope,
  person: 'u:ann',
  depth: 0,
  runBudget: 0,
  budgetRunId: null,
  triggerEvent: { properties: { what: 'news' } },
  waitingSince: null,
  wokenBy: null,
  workflowId: 'w',
  attempt: 1,
  saved: {},
};
const profile = {
  ...scope,
  person: 'u:ann',
  traits: { name: 'Ann', plan: { name: 'pro', price: 7 }, secret: 'x' },
  version: 1,
  isTruncated: false,
  email: 'ann@example.com',
  phone: null,
  locale: 'de',
  timezone: null,
  createdAt: at,
  lastSeenAt: at,
};
const context: Pick<PlanContext, 'run' | 'profile'> = { run, profile };
const desk = { kind: 'address', address: 'desk@example.com', name: null } as const;

describe('sentScopes', () => {
  it("a message to an address stores only the user's values that its texts use", () => {
    const texts = [
      '{{trait.name}} {{trait.plan.name}}',
      undefined,
      '{{user.locale}} {{event.what}} {{trait.gone}} {{trait}}',
    ];
    expect(sentScopes(context, desk, texts)).toEqual({
      event: { what: 'news' },
      user: { locale: 'de' },
      trait: { name: 'Ann', plan: { name: 'pro', price: 7 } },
    });
    expect(sentScopes({ run, profile: undefined }, desk, texts)).toEqual({
      event: { what: 'news' },
      user: {},
      trait: {},
    });
  });

  it('saved outputs are stored if the texts use them', () => {
    const saved = { score: { text: 'high' }, other: { text: 'x' } };
    const told = { run: { ...run, saved }, profile };
    const texts = ['{{steps.score.text}} {{steps.gone.text}} {{trait.name}}'];
    const steps = { score: { text: 'high' } };
    expect(sentScopes(told, { kind: 'user', userId: 'ann' }, texts)).toEqual({ event: { what: 'news' }, steps });
    expect(sentScopes(told, desk, texts)).toMatchObject({ steps, trait: { name: 'Ann' } });
    expect(sentScopes(told, desk, ['{{trait.name}}'])).not.toHaveProperty('steps');
  });

  it('a message to a user stores the event only, because the rest is read at delivery', () => {
    expect(sentScopes(context, { kind: 'user', userId: 'ann' }, ['{{trait.name}}'])).toEqual({
      event: { what: 'news' },
    });
  });
});
