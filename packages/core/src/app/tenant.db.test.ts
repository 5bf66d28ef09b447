import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, expectTypeOf, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { newMasterKey } from '../foundation/secrets.ts';
import type { DryRun, Send } from '../messaging/sends/answers.generated.ts';
import type { Beckon, BeckonWithProject } from './api.ts';
import { createBeckon } from './create-beckon.ts';
import type { BeckonOptions } from './options.ts';

const PROCESSES = 8;

describe('program that names its organization and project', () => {
  let database: TestDatabase;
  const masterKey = newMasterKey();
  const opened: Beckon[] = [];
  let folder: string;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'beckon-tenant-'));
    database = await openTestDatabase({ url: `sqlite:${join(folder, 'beckon.db')}` });
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((beckon) => beckon.close()));
    await database.close();
    rmSync(folder, { recursive: true });
  });

  const tenant = { org: { name: 'Acme' }, project: { name: 'Shop' } } as const;
  const options = (more: Partial<BeckonOptions> = {}) => ({ db: database.url, masterKey, ...tenant, ...more });
  const start = async (more: Partial<BeckonOptions> = {}): Promise<BeckonWithProject> => {
    // Safe: both names are among the options.
    const beckon = (await createBeckon(options(more) as BeckonOptions & typeof tenant)) as BeckonWithProject;
    opened.push(beckon);
    return beckon;
  };
  const counts = async ({ tenancy }: Beckon) => [
    (await tenancy.listOrgs()).data.length,
    (await tenancy.listProjects()).data.length,
  ];

  it('the same names give the same organization and project at every start', async () => {
    const first = await start();
    await first.project.events.identify({ userId: 'ada', traits: { email: 'ada@example.com' } });
    await first.close();
    const second = await start();
    expect(second.project.scope).toEqual(first.project.scope);
    expect((await second.project.profiles.get('ada')).traits).toEqual({ email: 'ada@example.com' });
    expect(await counts(second)).toEqual([1, 1]);
    const [org] = (await second.tenancy.listOrgs()).data;
    expect(org).toMatchObject({ name: 'Acme', plan: 'unlimited' });
  });

  it('eight concurrent starts create one organization and one project', async () => {
    // The schema exists first, so that only the tenant is contended.
    await start().then((beckon) => beckon.close());
    const names = { org: { name: 'Race' }, project: { name: 'Shop' } };
    const all = await Promise.all(Array.from({ length: PROCESSES }, () => start(names)));
    expect(new Set(all.map(({ project }) => project.scope.scopeId)).size).toBe(1);
    const [one] = all;
    expect(one && (await counts(one))).toEqual([2, 2]);
    const { secret } = (await one?.project.secrets.rotateSigning()) ?? {};
    expect(secret).toMatch(/^whsec_/);
  });

  it('existing names are used, and a name that several have requires an id', async () => {
    const beckon = await createBeckon({ db: database.url, masterKey });
    opened.push(beckon);
    const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Acme' });
    const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'Shop' });
    expect((await start()).project.scope).toMatchObject({ orgId, projectId, environment: 'test' });
    const { id: otherId } = await beckon.tenancy.createOrg({ name: 'Acme' });
    await expect(start()).rejects.toMatchObject({
      code: 'CONFLICT',
      message: `Several organizations have the name "Acme". Pass the id of one of them: ${orgId}, ${otherId}.`,
    });
    const byId = await start({ org: { id: orgId }, project: { id: projectId }, environment: 'prod' });
    expect(byId.project.scope).toMatchObject({ orgId, projectId, environment: 'prod' });
    await expect(start({ org: { id: 'acme' } })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'No organization with the id "acme".',
    });
  });

  it('a program keeps its organization when another one gets the same name', async () => {
    const first = await start();
    await first.tenancy.createOrg({ name: 'Acme' });
    expect((await start()).project.scope).toEqual(first.project.scope);
  });

  it('beckon.project has the functions of Beckon without a scope', async () => {
    const beckon = await start();
    const { project: app } = beckon;
    expect(beckon.for(app.scope)).toBe(app);
    await app.events.track({ module: 'shop', eventType: 'order.placed', userId: 'ada' });
    const mail = { to: 'ada@example.com', subject: 'Hello', text: 'Hi' } as const;
    const send = await app.email.send(mail);
    expectTypeOf(send).toEqualTypeOf<Send>();
    expectTypeOf(await app.email.send({ ...mail, dryRun: true })).toEqualTypeOf<DryRun>();
    await beckon.worker.drain();
    expect((await app.outbox.list()).data.map(({ sendId }) => sendId)).toEqual([send.id]);
    expect(await app.settings.get('email')).toMatchObject({ smtp: { configured: false } });
    expect('trackOpen' in app.email || 'rotateMasterKey' in app.secrets || 'receive' in app.callbacks).toBe(false);
    // @ts-expect-error a scope is not passed again
    await expect(app.email.send(app.scope, mail)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(() => beckon.for({ ...app.scope })).toThrow(TypeError);
  });

  it('a master key is required unless the database is in memory', async () => {
    await expect(createBeckon({ db: database.url })).rejects.toThrow(/^createBeckon: masterKey: is missing\./);
    const memory = await createBeckon({ db: 'sqlite::memory:', ...tenant });
    await memory.close();
    await expect(createBeckon({ db: 'sqlite::memory:', org: tenant.org })).rejects.toThrow(
      new TypeError('createBeckon: org and project: pass both or neither'),
    );
    await expect(createBeckon({ db: 'sqlite::memory:', environment: 'prod' })).rejects.toThrow(/environment: needs/);
  });
});
