import type { Question } from '../../../src/insight/analytics/question.ts';
import type { QueryRange } from '../../../src/insight/analytics/range.ts';
import { testScope } from '../scopes.ts';

/** A query that has its slot and unlimited time. */
export const questionOf = (range: QueryRange): Question => ({
  scope: testScope({ orgId: 'o', projectId: 'p', environment: 'test' }),
  range,
  now: new Date('2026-11-01T00:00:00.000Z'),
  keptDays: 400,
  rest: async () => undefined,
});
