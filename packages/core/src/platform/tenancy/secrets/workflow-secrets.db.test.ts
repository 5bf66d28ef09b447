import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTenancy, type TenancyFixture } from '../../../../test/support/tenancy/tenancy-fixture.ts';
import { unchecked } from '../../../../test/support/unchecked.ts';
import type { Scope } from '../../../foundation/scope.ts';
import { UnreadableSecret } from '../../../foundation/secrets.ts';
import { type WorkflowSecrets, workflowSecrets } from './workflow-secrets.ts';

const DAY_MS = 86_400_000;

describe('workflow secrets', () => {
  let fixture: TenancyFixture;
  let secrets: WorkflowSecrets;
  let scope: Scope;
  let other: Scope;

  beforeEach(async () => {
    fixture = await openTenancy();
    const { database, clock, keyring, tenancy } = fixture;
    secrets = workflowSecrets({ storage: database.storage, tables: database.tables, clock, keyring });
    const names = await fixture.tenant('Acme');
    scope = await tenancy.scope({ ...names, environment: 'test' });
    other = await tenancy.scope({ ...names, environment: 'prod' });
  });
  afterEach(() => fixture.close());

  const rows = () => fixture.database.storage.db.select().from(fixture.database.tables.secrets);

  it('secrets are listed by name, page by page, for one environment only, without values', async () => {
    for (const name of ['b', 'C', 'a', 'signing']) await secrets.api.set(scope, name, { value: `value of ${name}` });
    await secrets.api.set(other, 'z', { value: 'v' });
    const first = await secrets.api.list(scope, { limit: 3 });
    const { nextCursor } = first.pagination;
    const second = await secrets.api.list(scope, { limit: 3, cursor: nextCursor ?? '' });
    const all = [...first.data, ...second.data];
    expect(all.map(({ name }) => name).sort()).toEqual(['C', 'a', 'b', 'signing']);
    expect(second.pagination.hasMore).toBe(false);
    expect(JSON.stringify(all)).not.toContain('value of');
    await expect(secrets.api.list(other, { cursor: nextCursor ?? '' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });

  it('secrets return their latest values by name, and missing ones are left out', async () => {
    await secrets.api.set(scope, 'TOKEN', { value: 'old' });
    await secrets.api.set(scope, 'TOKEN', { value: 'new' });
    await secrets.api.set(other, 'OTHER', { value: 'of prod' });
    expect(await secrets.valuesOf(scope, ['TOKEN', 'OTHER'])).toEqual({ TOKEN: 'new' });
    expect(await secrets.lacking(scope, ['TOKEN', 'OTHER'])).toEqual(new Set(['OTHER']));
    await secrets.api.delete(scope, 'TOKEN');
    expect(await secrets.valuesOf(scope, ['TOKEN'])).toEqual({});
    await expect(secrets.api.delete(scope, 'TOKEN')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('a secret whose name looks like the signing secret never reaches it', async () => {
    await secrets.api.set(scope, 'signing', { value: 'mine' });
    expect((await secrets.signingSecrets(scope))[0]).toMatch(/^whsec_/);
    expect(await secrets.valuesOf(scope, ['signing', '../signing'])).toEqual({ signing: 'mine' });
  });

  it('a secret moved to another name or environment does not open', async () => {
    await secrets.api.set(scope, 'A', { value: 'plain text of mine' });
    expect(JSON.stringify(await rows())).not.toContain('plain text of mine');
    await secrets.api.set(scope, 'B', { value: 'b' });
    const { storage, tables } = fixture.database;
    const sealed = (await rows()).find(({ name }) => name === 'workflow/A')?.sealed ?? '';
    await storage.db.update(tables.secrets).set({ sealed });
    await expect(secrets.valuesOf(scope, ['B'])).rejects.toBeInstanceOf(UnreadableSecret);
  });

  it('a secret rejects names that no placeholder and values that no header can contain', async () => {
    for (const name of ['', 'a.b', 'a b', '{{a}}', '-a', '__proto__', 'a'.repeat(65), 'é'])
      await expect(secrets.api.set(scope, name, { value: 'v' }), name).rejects.toMatchObject({
        details: { fieldErrors: { name: expect.any(Array) } },
      });
    for (const value of ['', 'a\r\nb', 'a\nb', 'a\0b', '\u2028', 'x'.repeat(8_193), 7, null])
      await expect(secrets.api.set(scope, 'A', { value: unchecked(value) }), String(value)).rejects.toMatchObject({
        details: { fieldErrors: { value: expect.any(Array) } },
      });
    await expect(secrets.api.set(scope, 'A', unchecked({ value: 'v', more: 1 }))).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });

  it('the previous signing secret also signs until its grace period ends', async () => {
    const [first] = await secrets.signingSecrets(scope);
    const { secret, previousUntil } = await secrets.api.rotateSigning(scope);
    expect(secret).not.toBe(first);
    expect(previousUntil).toEqual(new Date(fixture.clock.now().getTime() + DAY_MS));
    expect(await secrets.signingSecrets(other)).toEqual([secret, first]);
    fixture.clock.advance(DAY_MS);
    expect(await secrets.signingSecrets(scope)).toEqual([secret]);
    const again = await secrets.api.rotateSigning(scope, { graceSeconds: 60 });
    expect(await secrets.signingSecrets(scope)).toEqual([again.secret, secret]);
    const last = await secrets.api.rotateSigning(scope, { graceSeconds: 0 });
    expect(last.previousUntil).toBe(null);
    expect(await secrets.signingSecrets(scope)).toEqual([last.secret]);
  });

  it('of two concurrent rotations one takes effect, and the other gets a conflict', async () => {
    const results = await Promise.allSettled([secrets.api.rotateSigning(scope), secrets.api.rotateSigning(scope)]);
    const made = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value.secret] : []));
    expect(made).toContain((await secrets.signingSecrets(scope))[0]);
    for (const one of results)
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ details: { reason: 'in_progress' } });
  });
});
