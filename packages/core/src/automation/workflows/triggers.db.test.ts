import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { testProdScope, testProject } from '../../../test/support/scopes.ts';
import { bundleWith, workflowOf } from '../../../test/support/workflows/bundles.ts';
import { virtualClock } from '../../foundation/clock.ts';
import { uuidV7Ids } from '../../foundation/ids.ts';
import type { ProjectScope } from '../../foundation/scope.ts';
import { workflowDefinitions } from './definitions.ts';
import { type TriggerCache, triggerCache } from './triggers.ts';
import { workflowVersions } from './versions.ts';

const newScope = (): ProjectScope => testProject({ orgId: randomUUID(), projectId: randomUUID() });
const named = (name: string, eventType: string, isActive = true) =>
  workflowOf({ name, isActive, trigger: { eventType } });

describe('caches of definitions', () => {
  const clock = virtualClock('2026-11-20T10:00:00.000Z');
  const statements: string[] = [];
  let database: TestDatabase;
  let definitions: ReturnType<typeof workflowDefinitions>;
  let triggers: TriggerCache;
  let versions: ReturnType<typeof workflowVersions>;
  let scope: ProjectScope;

  beforeAll(async () => {
    const observer = { statement: (id: string) => statements.push(id) };
    database = await openTestDatabase({ clock, observer });
  });
  afterAll(() => database.close());
  beforeEach(() => {
    const { storage, tables } = database;
    triggers = triggerCache({ storage, tables, clock });
    versions = workflowVersions({ storage, tables });
    const ids = uuidV7Ids(clock);
    definitions = workflowDefinitions(
      { storage, tables, clock, ids },
      { prodScope: testProdScope, changed: triggers.invalidate },
    );
    scope = newScope();
  });

  const reads = (id: string): number => statements.filter((one) => one === id).length;
  const counted = async (work: () => Promise<unknown>): Promise<number> => {
    const before = reads('workflows.active_triggers') + reads('workflows.version_steps');
    await work();
    return reads('workflows.active_triggers') + reads('workflows.version_steps') - before;
  };
  const forProject = async (project: ProjectScope, cache = triggers) => (await cache.load([project]))(project);
  const namesFor = async (eventType: string, project = scope): Promise<string[]> =>
    ((await forProject(project)).get(eventType) ?? []).map(({ name }) => name).toSorted();

  describe('triggerCache', () => {
    it('triggerCache returns the active workflows of a project by event name', async () => {
      const { created } = await definitions.importBundle(
        scope,
        bundleWith([named('a', 'x'), named('b', 'x'), named('c', 'y'), named('d', 'x', false)]),
      );
      const byEvent = await forProject(scope);
      expect([...byEvent.keys()].toSorted()).toEqual(['x', 'y']);
      const rest = { filters: 0, firstDelayMinutes: 0, firstStepType: null };
      expect(byEvent.get('x')).toEqual([
        { id: created[0]?.id, name: 'a', version: 1, trigger: { eventType: 'x' }, ...rest },
        { id: created[1]?.id, name: 'b', version: 1, trigger: { eventType: 'x' }, ...rest },
      ]);
    });

    it('triggerCache reads a project once in two seconds, even without workflows', async () => {
      expect(await counted(() => forProject(scope))).toBe(1);
      clock.advance(1_999);
      expect(await counted(() => forProject(scope))).toBe(0);
      clock.advance(1);
      expect(await counted(() => forProject(scope))).toBe(1);
    });

    it('triggerCache reads again after the clock was set back', async () => {
      await forProject(scope);
      clock.advance(-3_600_000);
      expect(await counted(() => forProject(scope))).toBe(1);
    });

    it('an import is visible at once in its process and after two seconds in others', async () => {
      const { storage, tables } = database;
      const elsewhere = workflowDefinitions(
        { storage, tables, clock, ids: uuidV7Ids(clock) },
        { prodScope: testProdScope },
      );
      expect(await namesFor('x')).toEqual([]);
      await definitions.importBundle(scope, bundleWith([named('a', 'x')]));
      expect(await namesFor('x')).toEqual(['a']);
      await elsewhere.importBundle(scope, bundleWith([named('b', 'x')]));
      expect(await namesFor('x')).toEqual(['a']);
      clock.advance(2_000);
      expect(await namesFor('x')).toEqual(['a', 'b']);
    });

    it('a deactivation is visible at once in its process', async () => {
      await definitions.importBundle(scope, bundleWith([named('a', 'x')]));
      expect(await namesFor('x')).toEqual(['a']);
      await definitions.importBundle(scope, bundleWith([named('a', 'x', false)]));
      expect(await namesFor('x')).toEqual([]);
    });

    it('stale projects are read with one statement, and the steps of unknown versions with another', async () => {
      const scopes = [newScope(), newScope(), newScope()];
      for (const [at, project] of scopes.entries())
        await definitions.importBundle(project, bundleWith([named(`w${at}`, 'x')]));
      await forProject(scopes[0] ?? scope);
      const found: string[] = [];
      const load = () =>
        counted(async () => {
          const of = await triggers.load([...scopes, ...scopes, scope]);
          found.push(...scopes.map((project) => of(project).get('x')?.[0]?.name ?? ''));
          expect(of(scope).size).toBe(0);
        });
      expect(await load()).toBe(2);
      clock.advance(2_000);
      expect(await load()).toBe(1);
      expect(found).toEqual(['w0', 'w1', 'w2', 'w0', 'w1', 'w2']);
    });

    it('concurrent loads share a read', async () => {
      expect(await counted(() => Promise.all([forProject(scope), triggers.load([scope])]))).toBe(1);
    });

    it('a read overtaken by an invalidation is not cached', async () => {
      const slow = forProject(scope);
      triggers.invalidate(scope);
      await slow;
      expect(await counted(() => forProject(scope))).toBe(1);
    });

    it('triggersOf throws for a project that was not loaded', async () => {
      const of = await triggers.load([scope]);
      expect(() => of(newScope())).toThrow(TypeError);
    });

    it('a failed read rejects its waiting callers and is repeated for the next', async () => {
      const { storage, tables } = database;
      let isDown = true;
      const flaky = triggerCache({
        tables,
        clock,
        storage: {
          ...storage,
          select: (bulk, keys) => (isDown ? Promise.reject(new Error('out of reach')) : storage.select(bulk, keys)),
        },
      });
      await expect(Promise.all([forProject(scope, flaky), forProject(scope, flaky)])).rejects.toThrow('out of reach');
      isDown = false;
      expect((await forProject(scope, flaky)).size).toBe(0);
    });

    it('projects of two orgs are separate', async () => {
      const other = testProject({ ...scope, orgId: randomUUID() });
      await definitions.importBundle(scope, bundleWith([named('a', 'x')]));
      expect([await namesFor('x', other), await namesFor('x')]).toEqual([[], ['a']]);
    });
  });

  describe('workflowVersions', () => {
    const imported = async (minutes: number, project = scope): Promise<string> => {
      const steps = [{ type: 'wait' as const, config: { minutes } }];
      const { created, updated } = await definitions.importBundle(project, bundleWith([workflowOf({ steps })]));
      return [...created, ...updated][0]?.id ?? '';
    };

    it('many versions are read with one statement and then cached', async () => {
      const id = await imported(1);
      await imported(2);
      const other = newScope();
      const otherId = await imported(3, other);
      const keys = [
        { ...scope, workflowId: id, version: 1 },
        { ...scope, workflowId: id, version: 2 },
        { ...other, workflowId: otherId, version: 1 },
      ];
      const minutes: unknown[] = [];
      const count = await counted(async () => {
        const of = await versions.load([...keys, ...keys]);
        minutes.push(...keys.map((key) => of(key)?.[0]?.config));
      });
      expect([count, minutes]).toEqual([1, [{ minutes: 1 }, { minutes: 2 }, { minutes: 3 }]]);
      expect(await counted(() => versions.load(keys))).toBe(0);
      expect(await counted(() => versions.stepsOf(scope, id, 2))).toBe(0);
    });

    it('an unknown version is null and looked up again', async () => {
      const id = await imported(1);
      expect(await versions.stepsOf(scope, id, 2)).toBeNull();
      await imported(2);
      expect(await versions.stepsOf(scope, id, 2)).toHaveLength(1);
    });

    it('a version of another project is not returned', async () => {
      const id = await imported(1);
      expect(await versions.stepsOf(newScope(), id, 1)).toBeNull();
    });
  });
});
