import { type Beckon, createBeckon, newMasterKey, type Scope } from '@beckon/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../core/test/support/database.ts';
import { createHandler, type Handler } from '../index.ts';

describe('unsubscribe route', () => {
  let database: TestDatabase;
  let beckon: Beckon;
  let handler: Handler;
  let scope: Scope;
  beforeAll(async () => {
    database = await openTestDatabase();
    beckon = await createBeckon({ db: database.url, masterKey: newMasterKey(), publicUrl: 'https://b.example' });
    handler = createHandler(beckon);
    const { id: orgId } = await beckon.tenancy.createOrg({ name: 'A' });
    const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
    scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'test' });
  });
  afterAll(async () => {
    await beckon.close();
    await database.close();
  });

  /** The link in an email to this address. */
  const linkTo = async (address: string): Promise<string> => {
    await beckon.email.send(scope, { to: address, subject: 's', text: 't' });
    await beckon.worker.drain();
    const { data } = await beckon.outbox.list(scope, { channel: 'email' });
    const content = JSON.stringify(data.find((one) => one.address === address)?.content);
    return /<https:\/\/b\.example([^>]+)>/.exec(content)?.[1] ?? '';
  };
  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await handler.fetch(new Request(`http://127.0.0.1${path}`, init));
    const { status, headers } = response;
    return { status, headers, text: await response.text() };
  };
  const post = (path: string, body: URLSearchParams | FormData | string, type?: string) =>
    ask(path, { method: 'POST', body, ...(type ? { headers: { 'content-type': type } } : {}) });
  const listed = async () => (await beckon.suppressions.list(scope, 'email')).data.map(({ address }) => address).sort();
  const oneClick = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });

  it('the unsubscribe page is never cached, cannot be framed, runs no script, and viewing it changes nothing', async () => {
    const link = await linkTo('ann@example.com');
    for (const method of ['GET', 'HEAD', 'GET']) {
      const { status, headers } = await ask(link, { method });
      expect(status).toBe(200);
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'.*frame-ancestors 'none'$/);
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('set-cookie')).toBeNull();
    }
    for (const body of ['', 'List-Unsubscribe=Two-Clicks', 'do=nothing'])
      await post(link, body, 'application/x-www-form-urlencoded');
    await post(link, '{"List-Unsubscribe":"One-Click"}', 'application/json');
    await post(link, 'no parts', 'multipart/form-data; boundary=x');
    expect(await listed()).toEqual([]);
  });

  it('one click in either encoding unsubscribes, repeatedly too, and so do the buttons of the page', async () => {
    const [ann, bob] = [await linkTo('ann@example.com'), await linkTo('bob@example.com')];
    const parts = new FormData();
    parts.set('List-Unsubscribe', 'One-Click');
    for (const [link, body] of [
      [ann, oneClick],
      [bob, parts],
      [bob, oneClick],
    ] as const) {
      const answer = await post(link, body);
      expect(answer.status).toBe(200);
      expect(answer.text).toContain('You are unsubscribed');
    }
    expect(await listed()).toEqual(['ann@example.com', 'bob@example.com']);
    expect((await post(ann, new URLSearchParams({ do: 'resubscribe' }))).text).toContain('You are subscribed');
    expect(await listed()).toEqual(['bob@example.com']);
    expect((await ask(bob)).text).toContain('value="resubscribe"');
    await post(ann, new URLSearchParams({ do: 'unsubscribe' }));
    expect(await listed()).toHaveLength(2);
    await post(ann, new URLSearchParams({ do: 'choose', any: 'yes' }));
    expect(await listed()).toEqual(['bob@example.com']);
  });

  it('an unknown token gets the same page as a user with an unknown language', async () => {
    const link = await linkTo('cem@example.com');
    const nobodys = '/api/v1/unsubscribe/bm9ib2R5';
    const same = async (init?: RequestInit) => {
      const [ours, theirs] = [await ask(link, init), await ask(nobodys, init)];
      expect([theirs.status, theirs.text]).toEqual([ours.status, ours.text]);
    };
    await same();
    for (const body of [oneClick, new URLSearchParams({ do: 'resubscribe' }), new URLSearchParams({ do: 'choose' })])
      await same({ method: 'POST', body });
  });

  it('a form of more than 64 KB is not read', async () => {
    const link = await linkTo('dan@example.com');
    const answer = await post(link, new URLSearchParams({ 'List-Unsubscribe': 'One-Click', x: 'x'.repeat(65_536) }));
    expect(answer.status).toBe(413);
    expect(await listed()).not.toContain('dan@example.com');
  });
});
