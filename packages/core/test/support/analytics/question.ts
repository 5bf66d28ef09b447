import type { Question } from '../../../src/insight/analytics/question.ts';
import type { QueryRange } from '../../../src/insight/analytics/range.ts';
import { testScope } from '../scopes.ts';

/** A query with a slot and unlimited time. */
export const questionOf = (asked: QueryRange): Question => ({
  scope: testScope({ orgId: 'o', projectId: 'p', environment: 'test' }),
  range: asked,
  now: new Date('2026-11-01T00:00:00.000Z'),
  keptDays: 400,
  rest: async () => undefined,
});
