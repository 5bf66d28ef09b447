import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openWatching, START, type Watching } from '../../test/support/events/watching.ts';
import { unchecked } from '../../test/support/unchecked.ts';
import type { Scope } from '../foundation/scope.ts';

const EMPTY = [
  ['all: []', { all: [] }],
  ['any: []', { any: [] }],
  ['an empty list', []],
  ['all: [] within not', { not: { all: [] } }],
  ['any: [] within any', { any: [{ trait: 'a', op: 'set' }, { any: [] }] }],
] as const;

describe('predicates with an empty combinator', () => {
  let world: Watching;
  let scope: Scope;
  beforeEach(async () => {
    world = await openWatching();
    scope = await world.project();
  });
  afterEach(() => world.close());

  it.each(EMPTY)('%s is rejected by every call that saves or previews a predicate', async (_, given) => {
    const { audiences, workflows } = world.beckon;
    const predicate = unchecked(given);
    const workflow = (steps: readonly unknown[]) =>
      unchecked({ name: 'W', description: null, trigger: { eventType: 'go' }, steps, isActive: true });
    const bundle = (steps: readonly unknown[]) =>
      unchecked({ version: 1, exportedAt: START, workflows: [workflow(steps)] });
    const when = [{ type: 'update_profile', config: { set: { a: 1 }, when: given } }];
    const branch = [{ type: 'branch', config: { branches: [{ name: 'a', when: given, steps: [] }] } }];
    const { id: audienceId } = await audiences.create(scope, { name: 'A', predicate: { trait: 'a', op: 'set' } });
    const { id } = await workflows.create(scope, unchecked({ name: 'V', trigger: { eventType: 'go' }, steps: [] }));
    const calls = [
      audiences.create(scope, { name: 'B', predicate }),
      audiences.update(scope, audienceId, { predicate }),
      audiences.preview(scope, { predicate }),
      ...[when, branch].flatMap((steps) => [
        workflows.create(scope, workflow(steps)),
        workflows.update(scope, id, unchecked({ steps })),
        workflows.importBundle(scope, bundle(steps)),
        workflows.importBundle(scope, bundle(steps), { dryRun: true }),
      ]),
    ];
    for (const settled of await Promise.allSettled(calls))
      expect(settled).toMatchObject({ status: 'rejected', reason: { code: 'VALIDATION_ERROR', status: 400 } });
    expect((await audiences.list(scope)).data).toHaveLength(1);
    expect((await workflows.list(scope)).data).toHaveLength(1);
  });
});
