import { describe, expect, it } from 'vitest';
import { fakeBeckon, KEYS, ORG_A, PROJECT_1 } from '../../test/support/fake-beckon.ts';
import { createHandler } from '../create-handler.ts';

const make = (overrides: Parameters<typeof fakeBeckon>[0] = {}) => {
  const { beckon, calls } = fakeBeckon(overrides);
  const handler = createHandler(beckon);
  const get = async (path: string) => {
    const headers = { 'x-api-key': 'sk_prod_one' };
    const response = await handler.fetch(new Request(`http://test/api/v1${path}`, { headers }));
    const json = JSON.parse(await response.text());
    return { status: response.status, headers: response.headers, json, fields: json.error?.details?.fieldErrors };
  };
  const post = (path: string, body: unknown) =>
    handler.fetch(
      new Request(`http://test/api/v1${path}`, {
        method: 'POST',
        headers: { 'x-api-key': 'sk_prod_one', 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    );
  return { get, post, last: () => calls.at(-1)?.args };
};

describe('list queries', () => {
  it('a list has 50 entries per page by default', async () => {
    const { get, last } = make();
    await get('/profiles');
    expect(last()?.[1]).toEqual({ limit: 50, count: false });
    await get('/profiles?limit=200&cursor=abc');
    expect(last()?.[1]).toEqual({ limit: 200, cursor: 'abc', count: false });
  });

  it.each(['0', '201', '1e9', '1000000000', '-1', '1.5', 'ten', '', '%20', '0x10', '٣'])(
    'a limit of %j is rejected',
    async (limit) => {
      const { status, fields } = await make().get(`/profiles?limit=${limit}`);
      expect([status, Object.keys(fields)]).toEqual([400, ['limit']]);
    },
  );

  it('an empty cursor and a repeated parameter are rejected', async () => {
    const { get } = make();
    expect(Object.keys((await get('/profiles?cursor=')).fields)).toEqual(['cursor']);
    expect(Object.keys((await get('/profiles?limit=1&limit=2')).fields)).toEqual(['limit']);
  });

  it('an unknown filter is rejected by its name', async () => {
    const { get, last } = make();
    for (const path of [
      '/profiles',
      '/profiles/u/events',
      '/automation/runs',
      '/email/sends',
      '/email/sends/s/messages',
      '/api-keys',
    ]) {
      const { status, fields } = await get(`${path}?limit=1&utm_source=x&__proto__=y`);
      expect([status, Object.keys(fields)], path).toEqual([400, ['utm_source', '__proto__']]);
    }
    expect((await get(`/profiles?projectId=${PROJECT_1}`)).status).toBe(200);
    expect(last()?.[1]).toEqual({ limit: 50, count: false });
  });

  it('filters of profiles and of histories reach the engine', async () => {
    const { get, last } = make();
    const times = { from: new Date('2026-03-01T00:00:00Z'), to: new Date('2026-03-02T02:04:05Z') };
    const search = 'from=2026-03-01&to=2026-03-02T03:04:05%2B01:00&count=true';
    await get(`/profiles?userId=..&${search}`);
    expect(last()?.[1]).toEqual({ limit: 50, userId: '..', ...times, count: true });
    await get(`/profiles/u/events?${search}`);
    expect(last()?.slice(1)).toEqual(['u', { limit: 50, ...times, count: true }]);
    for (const path of ['/profiles', '/profiles/u/events'])
      for (const query of ['from=yesterday', 'to=2024-02-30', 'from=2024-02-03T10:00', 'count=yes', 'to='])
        expect(Object.keys((await get(`${path}?${query}`)).fields), `${path}?${query}`).toEqual([query.split('=')[0]]);
    expect(Object.keys((await get('/profiles/u/events?status=sent')).fields)).toEqual(['status']);
  });

  it('filters of lists reach the engine', async () => {
    const { get, last } = make();
    const search = 'userId=u&from=2026-03-01&to=2026-03-02T03:04:05%2B01:00';
    const times = { from: new Date('2026-03-01T00:00:00Z'), to: new Date('2026-03-02T02:04:05Z') };
    await get(`/automation/runs?status=waiting&workflowId=w&${search}&count=true`);
    const common = { limit: 50, userId: 'u', ...times };
    expect(last()?.[1]).toEqual({ ...common, status: 'waiting', workflowId: 'w', count: true });
    await get(`/email/sends?status=failed&${search}`);
    expect(last()?.slice(1)).toEqual(['email', { ...common, status: 'failed', count: false }]);
    await get(`/email/sends/s/messages?status=sent&${search}`);
    expect(last()?.slice(1)).toEqual(['email', 's', { ...common, status: 'sent', count: false }]);
  });

  it("an unknown filter value is rejected by the filter's name", async () => {
    const { get } = make();
    const wrong = [
      'status=gone',
      'from=yesterday',
      'to=2024-02-30',
      'from=2024-02-03T10:00',
      'count=yes',
      'userId=',
      'to=',
    ];
    for (const path of ['/automation/runs', '/push/sends', '/sms/sends/s/messages']) {
      for (const query of wrong) {
        const { status, fields } = await get(`${path}?${query}`);
        expect([status, Object.keys(fields)], `${path}?${query}`).toEqual([400, [query.split('=')[0]]]);
      }
    }
  });
});

describe('import queries', () => {
  it('an import is neither a dry run nor bound to a version by default', async () => {
    const { post, last } = make();
    await post('/automation/workflows/import', {});
    expect(last()?.[2]).toEqual({ dryRun: false, prune: false });
  });

  it('an import takes the hash of an export with or without the quotes of its ETag', async () => {
    const { get, post, last } = make();
    const etag = (await get('/automation/workflows/export')).headers.get('etag');
    expect(etag).toBe('"cafe"');
    for (const tag of ['cafe', '"cafe"', 'W/"cafe"']) {
      await post(`/automation/workflows/import?dryRun=true&ifMatch=${encodeURIComponent(tag)}`, {});
      expect(last()?.[2]).toEqual({ dryRun: true, ifMatch: 'cafe', prune: false });
    }
  });

  it('a dryRun that is neither true nor false is rejected', async () => {
    const { post, last } = make();
    for (const dryRun of ['1', 'yes', '', 'TRUE']) {
      expect((await post(`/automation/workflows/import?dryRun=${dryRun}`, {})).status, dryRun).toBe(400);
    }
    expect(last()).toBeUndefined();
  });
});

describe('list of API keys', () => {
  it('the list of keys is read for one organization, with the grants of its reader and the requested page', async () => {
    const { get, last } = make({});
    await get(`/orgs/${ORG_A}/api-keys?limit=2&cursor=next`);
    expect(last()).toEqual([{ orgId: ORG_A, reader: KEYS['sk_prod_one'], limit: 2, cursor: 'next' }]);
  });

  it('the answer has the pagination of the list', async () => {
    const pagination = { limit: 50, hasMore: true, nextCursor: 'next' };
    const { json } = await make({ tenancy: { listKeys: async () => ({ data: [], pagination }) } }).get('/api-keys');
    expect(json).toEqual({ success: true, data: [], pagination });
  });
});
