import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { testProdScope, testProject } from '../../../test/support/scopes.ts';
import { bundles, bundleWith, workflowOf } from '../../../test/support/workflows/bundles.ts';
import { virtualClock } from '../../foundation/clock.ts';
import { uuidV7Ids } from '../../foundation/ids.ts';
import type { InProject, ProjectScope } from '../../foundation/scope.ts';
import type { Step } from '../runs/steps/list.ts';
import type { ImportAnswer } from './answers.generated.ts';
import { etagOf, orderedWorkflows } from './bundle.ts';
import { workflowDefinitions } from './definitions.ts';
import type { Workflow } from './schema.ts';
import { workflowVersions } from './versions.ts';

const START = '2026-11-20T10:00:00.000Z';
const waits = (...minutes: number[]): Step[] => minutes.map((one) => ({ type: 'wait', config: { minutes: one } }));
const nameOf = ({ name }: { name: string }): string => name;

describe('bundle import and export', () => {
  const clock = virtualClock(START);
  const ids = uuidV7Ids(clock);
  let commits = 0;
  let database: TestDatabase;
  let definitions: ReturnType<typeof workflowDefinitions>;
  let scope: ProjectScope;
  const changed: InProject[] = [];

  beforeAll(async () => {
    database = await openTestDatabase({ clock, observer: { committed: () => (commits += 1) } });
    const { storage, tables } = database;
    definitions = workflowDefinitions(
      { storage, tables, clock, ids },
      { prodScope: testProdScope, changed: (project) => changed.push(project) },
    );
  });
  afterAll(() => database.close());
  beforeEach(() => {
    scope = testProject({ orgId: randomUUID(), projectId: randomUUID() });
    changed.length = 0;
    clock.set(START);
  });

  const put = (...workflows: readonly Workflow[]): Promise<ImportAnswer> =>
    definitions.importBundle(scope, bundleWith(workflows));
  const rows = async () => {
    const { storage, tables } = database;
    const stored = await storage.db.select().from(tables.workflows);
    return stored.filter(({ projectKey }) => projectKey === scope.projectKey);
  };
  const versionsOf = async (id: string) => {
    const { storage, tables } = database;
    const stored = await storage.db.select().from(tables.workflowVersions);
    return stored.filter(({ workflowId }) => workflowId === id).sort((a, b) => a.version - b.version);
  };

  it('an exported bundle equals the imported one, and importing it changes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(bundles, async (bundle) => {
        scope = testProject({ orgId: randomUUID(), projectId: randomUUID() });
        const answer = await definitions.importBundle(scope, bundle);
        expect(answer.created.map(nameOf)).toEqual(bundle.workflows.map(nameOf));
        const first = await definitions.exportBundle(scope);
        expect(JSON.stringify(first.bundle.workflows)).toBe(JSON.stringify(orderedWorkflows(bundle.workflows)));
        expect(first.etag).toBe(etagOf(bundle.workflows));
        const again = await definitions.importBundle(scope, JSON.parse(JSON.stringify(first.bundle)));
        expect([again.created, again.updated]).toEqual([[], []]);
        expect(again.unchanged).toEqual(answer.created.toSorted((a, b) => (a.name < b.name ? -1 : 1)));
        expect(JSON.stringify(await definitions.exportBundle(scope))).toBe(JSON.stringify(first));
      }),
      { numRuns: 40 },
    );
  });

  it('an import creates new names as version 1 and reports them', async () => {
    const answer = await put(workflowOf({ name: 'b', steps: waits(1) }), workflowOf({ name: 'a' }));
    expect(answer).toEqual({
      created: [
        { id: expect.any(String), name: 'b' },
        { id: expect.any(String), name: 'a' },
      ],
      updated: [],
      unchanged: [],
      skipped: [],
      warnings: [],
      dryRun: false,
      importId: expect.any(String),
    });
    const stored = await rows();
    expect(stored.map(({ version }) => version)).toEqual([1, 1]);
    const [created] = answer.created;
    expect(await versionsOf(created?.id ?? '')).toEqual([
      {
        projectKey: scope.projectKey,
        workflowId: created?.id,
        version: 1,
        name: 'b',
        trigger: { eventType: 'user.signed_up' },
        steps: waits(1),
        isActive: true,
        isDeleted: false,
        createdAt: new Date(START),
      },
    ]);
  });

  it('an import updates a workflow as a new version and keeps the steps of the old one', async () => {
    const { created } = await put(workflowOf({ steps: waits(1) }));
    clock.advance(60_000);
    const { updated } = await put(workflowOf({ steps: waits(1, 2), isActive: false }));
    expect(updated).toEqual([{ ...created[0], version: 2, changes: ['steps.1', 'isActive'] }]);
    expect(await rows()).toEqual([
      {
        projectKey: scope.projectKey,
        ...workflowOf({ steps: waits(1, 2), isActive: false }),
        id: created[0]?.id,
        version: 2,
        createdAt: new Date(START),
        updatedAt: new Date(Date.parse(START) + 60_000),
      },
    ]);
    const versions = await versionsOf(created[0]?.id ?? '');
    expect(versions.map(({ version, steps }) => [version, steps])).toEqual([
      [1, waits(1)],
      [2, waits(1, 2)],
    ]);
  });

  it.each<[string, Partial<Workflow>]>([
    ['description', { description: 'other' }],
    ['isActive', { isActive: false }],
    ['trigger', { trigger: { eventType: 'other' } }],
    ['steps', { steps: waits(1) }],
  ])('a difference in %s creates a new version', async (_, over) => {
    await put(workflowOf());
    expect((await put(workflowOf(over))).updated.map(({ version }) => version)).toEqual([2]);
  });

  it('an import changes neither equal workflows nor those not in the bundle', async () => {
    const { created } = await put(workflowOf({ name: 'a' }), workflowOf({ name: 'b' }));
    const before = await rows();
    clock.advance(60_000);
    const answer = await put(workflowOf({ name: 'b' }));
    expect([answer.updated, answer.unchanged]).toEqual([[], [created[1]]]);
    expect(await rows()).toEqual(before);
  });

  it('an import with one invalid workflow writes nothing', async () => {
    await put(workflowOf({ name: 'a' }));
    const before = await rows();
    const broken = { ...workflowOf({ name: 'z' }), steps: [{ type: 'wait', config: { minutes: -1 } }] };
    const bundle = bundleWith([workflowOf({ name: 'a', isActive: false }), workflowOf({ name: 'new' }), broken]);
    await expect(definitions.importBundle(scope, bundle)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { fieldErrors: { 'workflows.2.steps.0.config.minutes': [expect.any(String)] } },
    });
    expect(await rows()).toEqual(before);
  });

  it('an import writes nothing if its transaction fails at the end', async () => {
    const failing = await openTestDatabase({
      observer: {
        beforeCommit: () => {
          throw new Error('the disk is full');
        },
      },
    });
    const { storage, tables } = failing;
    const unlucky = workflowDefinitions({ storage, tables, clock, ids }, { prodScope: testProdScope });
    await expect(unlucky.importBundle(scope, bundleWith([workflowOf()]))).rejects.toThrow('the disk is full');
    expect((await unlucky.exportBundle(scope)).bundle.workflows).toEqual([]);
    await failing.close();
  });

  it('a dry run reports the changes and writes nothing', async () => {
    await put(workflowOf({ name: 'a' }), workflowOf({ name: 'b' }));
    const before = await rows();
    const sofar = commits;
    changed.length = 0;
    const bundle = bundleWith(['a', 'b', 'c'].map((name) => workflowOf({ name, isActive: name === 'b' })));
    const answer = await definitions.importBundle(scope, bundle, { dryRun: true });
    expect(answer).toMatchObject({ dryRun: true, created: [{ name: 'c' }], unchanged: [{ name: 'b' }] });
    expect(answer.updated).toMatchObject([{ name: 'a', version: 2, changes: ['isActive'] }]);
    expect(await rows()).toEqual(before);
    expect([commits - sofar, changed]).toEqual([0, []]);
  });

  it('ifMatch allows an import onto that state only', async () => {
    await put(workflowOf());
    const { etag } = await definitions.exportBundle(scope);
    const next = bundleWith([workflowOf({ isActive: false })]);
    for (const dryRun of [true, false])
      await expect(definitions.importBundle(scope, next, { dryRun, ifMatch: etagOf([]) })).rejects.toMatchObject({
        code: 'CONFLICT',
        details: { reason: 'version_changed' },
      });
    expect((await definitions.exportBundle(scope)).etag).toBe(etag);
    expect((await definitions.importBundle(scope, next, { ifMatch: etag })).updated).toHaveLength(1);
    await expect(definitions.importBundle(scope, next, { ifMatch: etag })).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('of many concurrent imports with one ifMatch exactly one succeeds', async () => {
    const { etag } = await definitions.exportBundle(scope);
    const attempts = Array.from({ length: 8 }, (_, at) =>
      definitions.importBundle(scope, bundleWith([workflowOf({ name: `n${at}` })]), { ifMatch: etag }),
    );
    const settled = await Promise.allSettled(attempts);
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await rows()).toHaveLength(1);
  });

  it('concurrent imports of one name run one after another and none is lost', async () => {
    const imports = Array.from({ length: 12 }, (_, at) =>
      put(
        workflowOf({ name: 'same', steps: waits(at) }),
        workflowOf({ name: `own ${at}` }),
        workflowOf({ name: at % 2 ? 'odd' : 'even' }),
      ),
    );
    const answers = await Promise.all(imports);
    const given = answers.flatMap(({ created, updated }) => [
      ...created.filter(({ name }) => name === 'same').map(() => 1),
      ...updated.map(({ version }) => version),
    ]);
    expect(given.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, at) => at + 1));
    const stored = await rows();
    expect(stored).toHaveLength(15);
    const same = stored.find(({ name }) => name === 'same');
    const versions = await versionsOf(same?.id ?? '');
    expect(versions).toHaveLength(12);
    expect(new Set(versions.map(({ steps }) => JSON.stringify(steps))).size).toBe(12);
    expect(versions.at(-1)?.steps).toEqual(same?.steps);
  });

  it('an import can write a thousand workflows', async () => {
    const many = (isActive: boolean) =>
      Array.from({ length: 1_000 }, (_, at) =>
        workflowOf({ name: `w${at}`, isActive, trigger: { eventType: `event ${at % 10}` } }),
      );
    expect((await put(...many(true))).created).toHaveLength(1_000);
    expect((await put(...many(false))).updated).toHaveLength(1_000);
    expect((await put(...many(false))).unchanged).toHaveLength(1_000);
  });

  it('an export of some names has the etag of the whole project', async () => {
    await put(...['c', 'a', 'b'].map((name) => workflowOf({ name })));
    const whole = await definitions.exportBundle(scope);
    const part = await definitions.exportBundle(scope, { workflows: ['c', 'a', 'c'] });
    expect(part.bundle.workflows).toMatchObject([{ name: 'a' }, { name: 'c' }]);
    expect([part.etag, part.bundle.exportedAt]).toEqual([whole.etag, START]);
    await expect(definitions.exportBundle(scope, { workflows: ['a', 'nope'] })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { fieldErrors: { workflows: [expect.any(String)] } },
    });
  });

  it('an import and an export see one project only', async () => {
    await put(workflowOf());
    for (const other of [
      testProject({ ...scope, projectId: randomUUID() }),
      testProject({ ...scope, orgId: randomUUID() }),
    ]) {
      expect((await definitions.exportBundle(other)).bundle.workflows).toEqual([]);
      expect((await definitions.importBundle(other, bundleWith([workflowOf()]))).created).toHaveLength(1);
    }
    expect((await put(workflowOf())).unchanged).toHaveLength(1);
  });

  it('changed is called for each project that may have changed, even after a rejected ifMatch', async () => {
    await put(workflowOf());
    expect(changed).toEqual([scope]);
    await definitions.importBundle(scope, bundleWith([]), { ifMatch: 'x' }).catch(() => undefined);
    expect(changed).toEqual([scope, scope]);
  });

  it('strings that look like SQL are stored unchanged', async () => {
    const name = `x'); drop table workflows; -- "\\ % _`;
    await put(workflowOf({ name }));
    expect((await definitions.exportBundle(scope, { workflows: [name] })).bundle.workflows).toMatchObject([{ name }]);
  });

  it('stepsOf returns the steps of any version', async () => {
    const { created } = await put(workflowOf({ steps: waits(1) }));
    await put(workflowOf({ steps: waits(2) }));
    const id = created[0]?.id ?? '';
    const versions = workflowVersions(database);
    expect([await versions.stepsOf(scope, id, 1), await versions.stepsOf(scope, id, 2)]).toEqual([waits(1), waits(2)]);
  });
});
