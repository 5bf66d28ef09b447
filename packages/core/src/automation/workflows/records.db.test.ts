import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { testProdScope, testProject } from '../../../test/support/scopes.ts';
import { bundleWith, workflowOf } from '../../../test/support/workflows/bundles.ts';
import { virtualClock } from '../../foundation/clock.ts';
import { uuidV7Ids } from '../../foundation/ids.ts';
import type { InProject, ProjectScope } from '../../foundation/scope.ts';
import type { WorkflowSaved } from './answers.generated.ts';
import { workflowDefinitions } from './definitions.ts';
import { workflowRecords } from './records.ts';

const START = '2026-11-20T10:00:00.000Z';
const wait = { type: 'wait', config: { minutes: 1 } } as const;
const newProject = (): ProjectScope => testProject({ orgId: randomUUID(), projectId: randomUUID() });
const refusedAs = (code: string, details: object) => ({ code, details: expect.objectContaining(details) });

describe('the workflows API', () => {
  const clock = virtualClock(START);
  let database: TestDatabase;
  let records: ReturnType<typeof workflowRecords>;
  let definitions: ReturnType<typeof workflowDefinitions>;
  let scope: ProjectScope;
  const changed: InProject[] = [];

  beforeAll(async () => {
    database = await openTestDatabase({ clock });
    const { storage, tables } = database;
    const platform = { storage, tables, clock, ids: uuidV7Ids(clock) };
    const rules = { changed: (one: InProject) => changed.push(one) };
    records = workflowRecords(platform, rules);
    definitions = workflowDefinitions(platform, { ...rules, prodScope: testProdScope });
  });
  afterAll(() => database.close());
  beforeEach(() => {
    scope = newProject();
    changed.length = 0;
    clock.set(START);
  });

  const make = (name = 'Welcome', own = scope): Promise<WorkflowSaved> => records.create(own, workflowOf({ name }));
  const versionsOf = async (id: string) => {
    const { storage, tables } = database;
    const stored = await storage.db.select().from(tables.workflowVersions);
    return stored.filter(({ workflowId }) => workflowId === id).sort((a, b) => a.version - b.version);
  };

  it('a new workflow has version 1 and is inactive without a description by default', async () => {
    const { name, trigger } = workflowOf();
    const { warnings, ...created } = await records.create(scope, { name, trigger, steps: [wait] });
    const { orgId, projectId } = scope;
    const at = new Date(START);
    const asked = { name, description: null, trigger, steps: [wait], isActive: false };
    expect(created).toEqual({ id: created.id, orgId, projectId, ...asked, version: 1, createdAt: at, updatedAt: at });
    expect(warnings).toEqual([]);
    expect(await records.get(scope, created.id)).toEqual(created);
    expect(changed).toEqual([scope]);
  });

  it('the $schema of a workflow and of a bundle is accepted and not stored', async () => {
    const { name, trigger } = workflowOf();
    const workflow = { $schema: './workflow.schema.json', name, trigger, steps: [wait] };
    expect(await records.create(scope, workflow)).not.toHaveProperty('$schema');
    const { bundle, etag } = await definitions.exportBundle(scope);
    expect(Object.keys(bundle)).toEqual(['version', 'exportedAt', 'workflows']);
    const { unchanged } = await definitions.importBundle(scope, { $schema: './bundle.schema.json', ...bundle });
    expect(unchanged).toHaveLength(1);
    expect((await definitions.exportBundle(scope)).etag).toBe(etag);
  });

  it('create returns the warnings of an import', async () => {
    const trigger = { eventType: 'x', audienceId: randomUUID() };
    expect((await records.create(scope, workflowOf({ trigger }))).warnings).toMatchObject([
      { code: 'unknown_audience', path: 'trigger.audienceId' },
    ]);
  });

  it('an invalid workflow is rejected with the path and nothing is written', async () => {
    // Safe: it is wrong on purpose.
    const wrong = { ...workflowOf(), steps: [{ type: 'wait', config: { minutes: -1 } }], colour: 'red' } as never;
    const fieldErrors = { 'steps.0.config.minutes': [expect.any(String)], colour: ['unknown field'] };
    await expect(records.create(scope, wrong)).rejects.toMatchObject(refusedAs('VALIDATION_ERROR', { fieldErrors }));
    const { id } = await make();
    await expect(records.update(scope, id, wrong)).rejects.toMatchObject(
      refusedAs('VALIDATION_ERROR', { fieldErrors }),
    );
    await expect(records.update(scope, id, {})).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect((await records.get(scope, id)).version).toBe(1);
  });

  it('a name in use is rejected by create and rename', async () => {
    const { id } = await make('a');
    const other = await make('b');
    await expect(make('a')).rejects.toMatchObject(refusedAs('CONFLICT', { reason: 'exists', id }));
    await expect(records.update(scope, other.id, { name: 'a' })).rejects.toMatchObject(
      refusedAs('CONFLICT', { reason: 'exists', id }),
    );
    expect((await records.list(scope)).data.map(({ name }) => name)).toEqual(['b', 'a']);
  });

  it('of many concurrent creates with one name exactly one succeeds', async () => {
    const settled = await Promise.allSettled(Array.from({ length: 8 }, () => make('same')));
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const one of settled)
      if (one.status === 'rejected') expect(one.reason).toMatchObject(refusedAs('CONFLICT', { reason: 'exists' }));
  });

  it('an update creates a new version and keeps the other fields', async () => {
    const { id } = await make();
    clock.advance(60_000);
    const updated = await records.update(scope, id, { name: 'Hello', steps: [wait], description: undefined });
    expect(updated).toMatchObject({
      ...workflowOf({ name: 'Hello', steps: [wait] }),
      version: 2,
      createdAt: new Date(START),
      updatedAt: new Date(Date.parse(START) + 60_000),
    });
    expect(await versionsOf(id)).toMatchObject([
      { version: 1, name: 'Welcome', steps: [], isActive: true, isDeleted: false },
      { version: 2, name: 'Hello', steps: [wait], trigger: { eventType: 'user.signed_up' }, createdAt: clock.now() },
    ]);
  });

  it('an update without a difference creates no version', async () => {
    const { id } = await make();
    clock.advance(60_000);
    expect(await records.update(scope, id, workflowOf())).toMatchObject({ version: 1, updatedAt: new Date(START) });
    expect(await versionsOf(id)).toHaveLength(1);
  });

  it('isActive enables and disables a workflow', async () => {
    const { id } = await make();
    expect(await records.update(scope, id, { isActive: false })).toMatchObject({ isActive: false, version: 2 });
    expect((await records.list(scope, { isActive: true })).data).toEqual([]);
    expect(await records.update(scope, id, { isActive: true })).toMatchObject({ isActive: true, version: 3 });
    expect((await records.list(scope, { isActive: true })).data).toMatchObject([{ id }]);
  });

  it('ifVersion allows changing and deleting that version only', async () => {
    const { id } = await make();
    await records.update(scope, id, { isActive: false }, { ifVersion: 1 });
    const refused = refusedAs('CONFLICT', { reason: 'version_changed', version: 2 });
    await expect(records.update(scope, id, { isActive: true }, { ifVersion: 1 })).rejects.toMatchObject(refused);
    await expect(records.delete(scope, id, { ifVersion: 1 })).rejects.toMatchObject(refused);
    expect(await records.get(scope, id)).toMatchObject({ isActive: false, version: 2 });
    await records.delete(scope, id, { ifVersion: 2 });
  });

  it('of many concurrent updates with one ifVersion exactly one succeeds', async () => {
    const { id } = await make();
    const settled = await Promise.allSettled(
      Array.from({ length: 8 }, (_, at) => records.update(scope, id, { description: `${at}` }, { ifVersion: 1 })),
    );
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await versionsOf(id)).toHaveLength(2);
  });

  it('concurrent updates are all applied', async () => {
    const { id } = await make();
    await Promise.all(Array.from({ length: 8 }, (_, at) => records.update(scope, id, { description: `${at}` })));
    expect(await records.get(scope, id)).toMatchObject({ version: 9 });
    expect((await versionsOf(id)).map(({ version }) => version)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('a deleted workflow is not found, frees its name and keeps its versions and one that records the deletion', async () => {
    const { id } = await records.create(scope, workflowOf({ steps: [wait] }));
    expect(await records.delete(scope, id)).toEqual({ id, name: 'Welcome' });
    await expect(records.get(scope, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(records.delete(scope, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(records.update(scope, id, { isActive: true })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await versionsOf(id)).toMatchObject([
      { version: 1, steps: [wait], isDeleted: false },
      { version: 2, steps: [], isDeleted: true, isActive: false },
    ]);
    expect((await make()).id).not.toBe(id);
  });

  it('the list has pages without steps, newest first, and filters by name', async () => {
    for (const name of ['a', 'b', 'c']) await make(name);
    const first = await records.list(scope, { limit: 2 });
    expect(first.data.map(({ name }) => name)).toEqual(['c', 'b']);
    expect(Object.keys(first.data[0] ?? {})).not.toContain('steps');
    const next = await records.list(scope, { limit: 2, cursor: first.pagination.nextCursor ?? '' });
    expect([next.data.map(({ name }) => name), next.pagination.hasMore]).toEqual([['a'], false]);
    expect((await records.list(scope, { name: 'b' })).data).toMatchObject([{ name: 'b' }]);
    const cursor = first.pagination.nextCursor ?? '';
    await expect(records.list(scope, { name: 'b', cursor })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(records.list(newProject(), { cursor })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('another project cannot see or change a workflow', async () => {
    const { id } = await make();
    const other = testProject({ ...scope, projectId: randomUUID() });
    const nothing = { code: 'NOT_FOUND' };
    await expect(records.get(other, id)).rejects.toMatchObject(nothing);
    await expect(records.update(other, id, { isActive: false })).rejects.toMatchObject(nothing);
    await expect(records.delete(other, id)).rejects.toMatchObject(nothing);
    expect((await records.list(other)).data).toEqual([]);
    expect(await records.get(scope, id)).toMatchObject({ isActive: true, version: 1 });
  });

  it('bundles include single definitions, and an import matches the new name', async () => {
    const { id } = await make();
    await records.update(scope, id, { name: 'Hello' });
    const { bundle } = await definitions.exportBundle(scope);
    expect(bundle.workflows).toEqual([workflowOf({ name: 'Hello' })]);
    const again = await definitions.importBundle(scope, bundleWith([workflowOf({ name: 'Hello', isActive: false })]));
    expect(again.updated).toMatchObject([{ id, name: 'Hello', version: 3 }]);
  });
});
