import { describe, expect, it } from 'vitest';
import { budgetOf } from './deadline.ts';

describe('budgetOf', () => {
  it('each kind of route has its time budget, and analytics routes have a longer one', () => {
    expect(budgetOf({ kind: 'ingest', path: '/events' })).toBe(5_000);
    for (const kind of ['sdk', 'signin', 'refresh', 'public'] as const)
      expect(budgetOf({ kind, path: '/x' })).toBe(9_000);
    for (const kind of ['secret', 'none'] as const) expect(budgetOf({ kind, path: '/x/analytics' })).toBe(30_000);
    expect(budgetOf({ kind: 'secret', path: '/analytics/funnel' })).toBe(20_000);
    expect(budgetOf({ kind: 'secret', path: '/analyticsy' })).toBe(30_000);
  });
});
