import { describe, expect, it } from 'vitest';
import { isBeckonError } from '../../foundation/errors.ts';
import { type RequestedScope, resolveScope } from './access.ts';
import type { Grant } from './answers.generated.ts';

const answer = (grants: readonly Grant[], asked: RequestedScope): unknown => {
  try {
    return resolveScope({ environment: 'test', grants }, asked);
  } catch (error) {
    if (isBeckonError(error, 'NOT_FOUND')) return 404;
    if (isBeckonError(error, 'VALIDATION_ERROR')) return Object.keys(error.details?.fieldErrors ?? {});
    throw error;
  }
};
const scope = (orgId: string, projectId: string) => ({ orgId, projectId, environment: 'test' });

describe('resolveScope', () => {
  const single = [{ orgId: 'A', projectId: 'p' }];
  const several = [...single, { orgId: 'A', projectId: 'q' }];
  const whole = [{ orgId: 'A', projectId: '*' }];
  const orgs = [...single, { orgId: 'B', projectId: '*' }];

  it.each<[string, readonly Grant[], RequestedScope, unknown]>([
    ['takes org and project from a key with one of each', single, {}, scope('A', 'p')],
    ['takes the project of such a key on the explicit path', single, { orgId: 'A' }, scope('A', 'p')],
    ['lets such a key name its own project', single, { projectId: 'p' }, scope('A', 'p')],
    ['hides any other project from it', single, { projectId: 'q' }, 404],
    ['hides any other org from it', single, { orgId: 'B' }, 404],
    ['does not take a named project for one of another org', single, { orgId: 'B', projectId: 'p' }, 404],
    ['asks a key over several projects for one', several, {}, ['projectId']],
    ['asks it on the explicit path, too', several, { orgId: 'A' }, ['projectId']],
    ['takes the granted project that is named', several, { projectId: 'q' }, scope('A', 'q')],
    ['hides a project without a grant', several, { projectId: 'r' }, 404],
    ['asks a key over all projects of an org for one', whole, {}, ['projectId']],
    ['takes any project of that org', whole, { projectId: 'r' }, scope('A', 'r')],
    ['takes the mark for all projects for no project', whole, { projectId: '*' }, 404],
    ['takes an empty name for no project', single, { projectId: '' }, 404],
    ['asks a key over several orgs for an org', orgs, {}, ['orgId']],
    ['asks for the org even when a project is named', orgs, { projectId: 'p' }, ['orgId']],
    ['takes the only project of the org that is named', orgs, { orgId: 'A' }, scope('A', 'p')],
    ['asks for a project of the org that is named', orgs, { orgId: 'B' }, ['projectId']],
    ['keeps a grant for one org out of the other', orgs, { orgId: 'A', projectId: 'x' }, 404],
    ['hides an org without a grant', orgs, { orgId: 'C', projectId: 'p' }, 404],
    ['hides everything from a key without grants', [], {}, 404],
  ])('%s', (_, grants, asked, expected) => {
    expect(answer(grants, asked)).toEqual(expected);
  });
});
