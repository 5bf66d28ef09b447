import { createHandler } from '@beckon/http';
import { describe, expect, it } from 'vitest';
import { fakeBeckon } from '../../test/support/fake-beckon.ts';
import { world } from '../../test/support/world.ts';
import { failureOf } from '../exit-codes.ts';
import { remoteBeckon, remoteGroups } from './beckon.ts';
import type { Call } from './client.ts';

const described = async (): Promise<Set<string>> => {
  const answer = await createHandler(fakeBeckon(world())).fetch(new Request('http://localhost/api/v1/openapi.json'));
  const { paths } = (await answer.json()) as { paths: Record<string, Record<string, unknown>> };
  return new Set(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, 'x')}`),
    ),
  );
};

describe('a service that runs elsewhere', () => {
  it('is asked for nothing that its interface does not have', async () => {
    const asked: string[] = [];
    const answer = { data: { workflows: [] }, pagination: null, etag: null };
    const groups = remoteGroups(async ({ method, path }: Call) => {
      asked.push(`${method} /api/v1${path}`);
      return answer;
    });
    // Safe: whatever a function takes, an id or a body, `x` stands where it would.
    const all = Object.entries(groups) as [string, Record<string, (...given: unknown[]) => Promise<unknown>>][];
    for (const [group, functions] of all)
      for (const [name, ask] of Object.entries(functions))
        await (name === 'exportBundle' ? ask('x') : ask('x', group === 'sends' ? 'sms' : 'x', 'x'));
    const there = await described();
    expect(asked.length).toBeGreaterThan(30);
    expect(asked.filter((one) => !there.has(one))).toEqual([]);
  });

  it('says by name what it does not offer', async () => {
    const beckon = remoteBeckon(async () => ({ data: null, pagination: null, etag: null }));
    const thrown = await Promise.resolve()
      .then(() => beckon.tenancy.listOrgs())
      .catch((error: unknown) => failureOf(error));
    expect(thrown).toMatchObject({ exitCode: 2, message: 'tenancy.listOrgs is not there with --url.' });
  });
});
