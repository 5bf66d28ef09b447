import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openWatching, START, type Watching } from '../../test/support/events/watching.ts';
import { rowId } from '../../test/support/row-ids.ts';
import { unchecked } from '../../test/support/unchecked.ts';
import { type Scope, scopeOf } from '../foundation/scope.ts';
import type { Beckon } from './api.ts';

const CREATORS = 8;
const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const workflow = (name: string, eventType: string, isActive = true) => ({
  ...{ name, description: null, trigger: { eventType }, steps: [], isActive },
});
const bundle = (workflows: readonly unknown[]) => unchecked({ version: 1, exportedAt: START, workflows });
const leaves = (count: number) => ({ all: times(count, (at) => ({ trait: `t${at}`, op: 'set' as const })) });
const refusal = (cap: string, max: number, field: string) => ({
  code: 'VALIDATION_ERROR',
  details: { reason: 'cap_reached', cap, max, fieldErrors: { [field]: [expect.stringContaining(String(max))] } },
});

describe('limits of definitions', () => {
  let world: Watching;
  let scope: Scope;
  let beckon: Beckon;
  /** Two processes on one database, each with its own scope object. */
  let both: readonly { readonly process: Beckon; readonly own: Scope }[];
  beforeEach(async () => {
    world = await openWatching();
    scope = await world.project();
    beckon = world.beckon;
    const second = await world.start();
    both = [
      { process: beckon, own: scope },
      { process: second, own: await second.tenancy.scope(scope) },
    ];
  });
  afterEach(() => world.close());

  /** The results of eight concurrent calls, spread over two processes. */
  const race = async (call: (process: Beckon, own: Scope, at: number) => Promise<unknown>) => {
    const settled = await Promise.allSettled(
      times(CREATORS, async (at) => {
        const { process, own } = both[at % both.length] ?? { process: beckon, own: scope };
        return call(process, own, at);
      }),
    );
    return {
      done: settled.filter(({ status }) => status === 'fulfilled').length,
      refused: settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : [])),
    };
  };
  const activeOn = async (eventType: string): Promise<number> =>
    (await beckon.workflows.exportBundle(scope)).bundle.workflows.filter(
      (one) => one.isActive && one.trigger.eventType === eventType,
    ).length;
  const active = async (): Promise<number> =>
    (await beckon.workflows.exportBundle(scope)).bundle.workflows.filter(({ isActive }) => isActive).length;
  /** Workflows that an earlier version without the limit may have stored. */
  const putWorkflows = async (count: number, eventOf: (at: number) => string): Promise<void> => {
    const { storage, tables } = world.database;
    const at = new Date(START);
    await storage.db.insert(tables.workflows).values(
      times(count, (index) => ({
        ...workflow(`w${index}`, eventOf(index)),
        ...{ projectKey: scope.projectKey, id: rowId(`w${index}`), version: 1, createdAt: at, updatedAt: at },
      })),
    );
  };
  const putAudiences = async (count: number, predicate: unknown = null): Promise<void> => {
    const { storage, tables } = world.database;
    const at = new Date(START);
    await storage.db.insert(tables.audiences).values(
      times(count, (index) => ({
        ...{ ...scopeOf(scope), id: rowId(`a${index}`), name: `a${index}`, description: null, stage: null },
        kind: predicate === null ? ('static' as const) : ('dynamic' as const),
        ...{ predicate: unchecked(predicate), version: 1, cursor: null, createdAt: at, updatedAt: at },
        ...{ dueAt: null, leaseUntil: null, fence: 0 },
      })),
    );
  };

  describe('100 active workflows for one event name', () => {
    it('eight concurrent creators with 99 active workflows for an event name make exactly 100', async () => {
      await putWorkflows(99, () => 'go');
      const { done, refused } = await race((process, own, at) =>
        process.workflows.create(own, workflow(`new ${at}`, 'go')),
      );
      expect([done, await activeOn('go')]).toEqual([1, 100]);
      for (const error of refused)
        expect(error).toMatchObject(refusal('active_workflows_of_event', 100, 'trigger.eventType'));
    });

    it('enabling a workflow and changing its event name respect the limit', async () => {
      await putWorkflows(99, () => 'go');
      const idle = await Promise.all(
        times(4, (at) => beckon.workflows.create(scope, workflow(`idle ${at}`, 'go', false))),
      );
      const other = await Promise.all(
        times(4, (at) => beckon.workflows.create(scope, workflow(`other ${at}`, 'stop'))),
      );
      const { done } = await race((process, own, at) =>
        at % 2 === 0
          ? process.workflows.update(own, idle[at / 2]?.id ?? '', { isActive: true })
          : process.workflows.update(own, other[(at - 1) / 2]?.id ?? '', { trigger: { eventType: 'go' } }),
      );
      expect([done, await activeOn('go')]).toEqual([1, 100]);
    });

    it('an import above the limit writes nothing, and its dry run returns the same error', async () => {
      await putWorkflows(99, () => 'go');
      const two = bundle([workflow('first', 'elsewhere'), workflow('second', 'go'), workflow('third', 'go')]);
      const error = refusal('active_workflows_of_event', 100, 'workflows.1.trigger.eventType');
      await expect(beckon.workflows.importBundle(scope, two, { dryRun: true })).rejects.toMatchObject(error);
      await expect(beckon.workflows.importBundle(scope, two)).rejects.toMatchObject(error);
      expect([await activeOn('go'), await activeOn('elsewhere')]).toEqual([99, 0]);
      const { done } = await race((process, own, at) =>
        process.workflows.importBundle(own, bundle([workflow(`imported ${at}`, 'go')])),
      );
      expect([done, await activeOn('go')]).toEqual([1, 100]);
    });

    it('an import at the limit may activate one workflow and deactivate another', async () => {
      await putWorkflows(100, () => 'go');
      const swap = bundle([workflow('new', 'go'), workflow('w0', 'go', false)]);
      expect(await beckon.workflows.importBundle(scope, swap)).toMatchObject({ created: [{ name: 'new' }] });
      expect(await activeOn('go')).toBe(100);
    });

    it('150 workflows from before the limit can be changed and imported again, but not increased', async () => {
      await putWorkflows(150, () => 'go');
      const [first] = (await beckon.workflows.list(scope, { name: 'w0' })).data;
      await beckon.workflows.update(scope, first?.id ?? '', { description: 'changed', trigger: { eventType: 'go' } });
      await beckon.workflows.importBundle(scope, (await beckon.workflows.exportBundle(scope)).bundle);
      expect(await activeOn('go')).toBe(150);
      await expect(beckon.workflows.create(scope, workflow('one more', 'go'))).rejects.toMatchObject(
        refusal('active_workflows_of_event', 100, 'trigger.eventType'),
      );
      await beckon.workflows.create(scope, workflow('idle', 'go', false));
      await beckon.workflows.create(scope, workflow('elsewhere', 'stop'));
    });
  });

  describe('1,000 active workflows in a project', () => {
    const spread = (at: number) => `event ${at % 20}`;

    it('concurrent creators, importers and updaters with 999 active workflows make exactly 1,000', async () => {
      await putWorkflows(999, spread);
      const idle = await beckon.workflows.create(scope, workflow('idle', 'go', false));
      const { done, refused } = await race((process, own, at) => {
        if (at === 0) return process.workflows.update(own, idle.id, { isActive: true });
        if (at < 4) return process.workflows.importBundle(own, bundle([workflow(`imported ${at}`, 'go')]));
        return process.workflows.create(own, workflow(`new ${at}`, 'go'));
      });
      expect([done, await active()]).toEqual([1, 1_000]);
      for (const error of refused)
        expect(error).toMatchObject({ details: { reason: 'cap_reached', cap: 'active_workflows', max: 1_000 } });
    });

    it('a workflow of a project above the limit may change its event name, but no workflow is added', async () => {
      await putWorkflows(1_001, spread);
      const [first] = (await beckon.workflows.list(scope, { name: 'w0' })).data;
      await beckon.workflows.update(scope, first?.id ?? '', { trigger: { eventType: 'go' } });
      await expect(beckon.workflows.create(scope, workflow('new', 'go'))).rejects.toMatchObject(
        refusal('active_workflows', 1_000, 'isActive'),
      );
      expect(await active()).toBe(1_001);
    });
  });

  describe('1,000 segments in an environment', () => {
    it('eight concurrent creators with 999 segments make exactly 1,000', async () => {
      await putAudiences(999);
      const { done, refused } = await race((process, own, at) => process.audiences.create(own, { name: `new ${at}` }));
      expect([done, (await beckon.audiences.list(scope, { count: true, limit: 1 })).pagination.total]).toEqual([
        1, 1_000,
      ]);
      for (const error of refused) expect(error).toMatchObject(refusal('audiences', 1_000, 'name'));
    });
  });

  describe('20,000 predicate leaves in an environment', () => {
    it('concurrent creators and updaters stop at 20,000 leaves', async () => {
      // 200 segments of 99 leaves and one of a single leaf leave 199 leaves: enough to add 99 twice.
      await putAudiences(200, leaves(99));
      const small = await beckon.audiences.create(scope, { name: 'small', predicate: leaves(2) });
      const { done, refused } = await race((process, own, at) =>
        at === 0
          ? process.audiences.update(own, small.id, { predicate: leaves(99) })
          : process.audiences.create(own, { name: `new ${at}`, predicate: leaves(99) }),
      );
      expect(done).toBe(2);
      for (const error of refused) expect(error).toMatchObject(refusal('audience_leaves', 20_000, 'predicate'));
      const stored = await world.database.storage.db.select().from(world.database.tables.audiences);
      const sum = stored.reduce((all, { predicate }) => all + JSON.stringify(predicate).split('"op"').length - 1, 0);
      expect(sum).toBeLessThanOrEqual(20_000);
      expect(sum).toBeGreaterThan(20_000 - 99);
    });

    it('each test of a "where" is a leaf, and static and deleted segments have none', async () => {
      const where = times(98, (at) => ({ path: `p${at}`, op: 'eq' as const, value: at }));
      const predicate = { event: 'bought', op: 'performed' as const, where };
      await putAudiences(202, leaves(99));
      const error = refusal('audience_leaves', 20_000, 'predicate');
      await beckon.audiences.create(scope, { name: 'two', predicate: leaves(2) });
      await expect(beckon.audiences.create(scope, { name: 'event', predicate })).rejects.toMatchObject(error);
      await beckon.audiences.delete(scope, rowId('a0'));
      await beckon.audiences.create(scope, { name: 'event', predicate });
      await beckon.audiences.create(scope, { name: 'list' });
      await expect(beckon.audiences.create(scope, { name: 'more', predicate: leaves(1) })).rejects.toMatchObject(error);
    });

    it('a predicate of an environment above the limit may be replaced by one with as many leaves, but not with more', async () => {
      await putAudiences(203, leaves(99));
      const id = rowId('a0');
      await beckon.audiences.update(scope, id, { predicate: { any: leaves(99).all } });
      await beckon.audiences.update(scope, id, { name: 'renamed' });
      await beckon.audiences.update(scope, id, { predicate: leaves(50) });
      await expect(beckon.audiences.update(scope, id, { predicate: leaves(51) })).rejects.toMatchObject(
        refusal('audience_leaves', 20_000, 'predicate'),
      );
    });
  });

  it('eight concurrent creators with 99 webhooks make exactly 100', async () => {
    const create = (process: Beckon, own: Scope, at: number) =>
      process.webhooks.create(own, { url: `https://example.com/${at}`, events: ['push.opened'] });
    for (let at = 0; at < 99; at += 1) await create(beckon, scope, at);
    const { done, refused } = await race((process, own, at) => create(process, own, 100 + at));
    expect([done, (await beckon.webhooks.list(scope, { count: true, limit: 1 })).pagination.total]).toEqual([1, 100]);
    for (const error of refused) expect(error).toMatchObject(refusal('webhooks', 100, 'url'));
  });

  it('eight concurrent callers add the 100th email domain and no other', async () => {
    const add = (process: Beckon, own: Scope, at: number) =>
      process.emailDomains.create(own, { domain: `d${at}.example.com` });
    for (let at = 0; at < 99; at += 1) await add(beckon, scope, at);
    const { done, refused } = await race((process, own, at) => add(process, own, 100 + at));
    expect([done, (await beckon.emailDomains.list(scope, { limit: 200 })).data.length]).toEqual([1, 100]);
    for (const error of refused) expect(error).toMatchObject(refusal('email_domains', 100, 'domain'));
  });

  it('eight concurrent creators with 9,999 geofences make exactly 10,000', async () => {
    const { storage, tables } = world.database;
    const at = new Date(START);
    const place = {
      lat: 1,
      lng: 1,
      radiusMeters: 100,
      transitions: ['entered' as const],
      dwellSeconds: null,
      data: null,
    };
    for (let chunk = 0; chunk < 10; chunk += 1)
      await storage.db.insert(tables.geofences).values(
        times(chunk === 9 ? 999 : 1_000, (index) => ({
          ...{ ...scopeOf(scope), id: rowId(`g${chunk}/${index}`), name: 'G', ...place, createdAt: at, updatedAt: at },
        })),
      );
    const { done, refused } = await race((process, own, index) =>
      process.geofences.create(own, { name: `new ${index}`, lat: 1, lng: 1, radiusMeters: 100 }),
    );
    expect(done).toBe(1);
    for (const error of refused) expect(error).toMatchObject(refusal('geofences', 10_000, 'name'));
  });
});
