import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { unchecked } from '../../../test/support/unchecked.ts';
import type { Beckon } from '../../app/api.ts';
import { createBeckon } from '../../app/create.ts';
import { type VirtualClock, virtualClock } from '../../foundation/clock.ts';
import type { Scope } from '../../foundation/scope.ts';
import { newMasterKey } from '../../foundation/secrets.ts';

const URL = /<https:\/\/b\.example\/api\/v1\/unsubscribe\/([\w-]+)>/;

describe('subscriptions', () => {
  let database: TestDatabase;
  let beckon: Beckon;
  let clock: VirtualClock;
  let scope: Scope;
  let other: Scope;
  beforeEach(async () => {
    database = await openTestDatabase();
    clock = virtualClock('2026-03-01T12:00:00.000Z');
    beckon = await createBeckon({ db: database.url, masterKey: newMasterKey(), clock, publicUrl: 'https://b.example' });
    const scopeOf = async (name: string) => {
      const { id: orgId } = await beckon.tenancy.createOrg({ name });
      const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
      return beckon.tenancy.scope({ orgId, projectId, environment: 'test' });
    };
    scope = await scopeOf('A');
    other = await scopeOf('B');
    for (const [userId, email] of [
      ['ann', 'Ann@example.com'],
      ['bob', 'bob@example.com'],
    ] as const)
      await beckon.events.identify(scope, { userId, traits: { email, phone: '+14155550123' } });
    await beckon.profiles.update(scope, 'ann', { locale: 'de-AT' });
  });
  afterEach(async () => {
    await beckon.close();
    await database.close();
  });

  /** Sends an email; returns its status, its headers and the token of its link. */
  const mailed = async (body: object) => {
    const { id } = await beckon.email.send(scope, unchecked({ subject: 's', text: 't', ...body }));
    await beckon.worker.drain();
    const { data } = await beckon.sends.messages(scope, 'email', id);
    const { data: caught } = await beckon.outbox.list(scope, { channel: 'email' });
    const mails = caught.filter(({ sendId }) => sendId === id);
    const headers = (address: string) => {
      const content = mails.find((one) => one.address === address)?.content;
      // Safe: the outbox content of an email has its headers.
      return (content as { headers?: Record<string, string> } | undefined)?.headers ?? {};
    };
    const link = (address: string) => URL.exec(headers(address)['List-Unsubscribe'] ?? '')?.[1] ?? '';
    return {
      results: data.map(({ address, status, reason }) => `${address} ${reason ?? status}`),
      headers,
      link,
      mails,
      data,
    };
  };
  const toAnn = async (more: object = {}) => (await mailed({ userIds: ['ann'], ...more })).results[0];

  it('choices are stored by channel and category, changed by name, and removed by null', async () => {
    const { subscriptions } = beckon;
    const none = { subscribed: true, categories: {} };
    expect(await subscriptions.get(scope, 'ann')).toEqual({ userId: 'ann', push: none, email: none, sms: none });
    await subscriptions.update(scope, 'ann', {
      email: { categories: { news: false, offers: true } },
      sms: { subscribed: false },
    });
    await subscriptions.update(scope, 'ann', { email: { categories: { offers: null } } });
    const expected = {
      push: none,
      email: { subscribed: true, categories: { news: false } },
      sms: { subscribed: false, categories: {} },
    };
    expect(await subscriptions.get(scope, 'ann')).toEqual({ userId: 'ann', ...expected });
    expect(await subscriptions.get(scope, 'bob')).toMatchObject({ email: none });
    for (const call of [
      () => subscriptions.get(other, 'ann'),
      () => subscriptions.update(other, 'ann', {}),
      () => subscriptions.get(scope, 'eve'),
    ])
      await expect(call()).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(subscriptions.update(scope, 'ann', unchecked({ email: { news: false } }))).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    await beckon.suppressions.add(scope, 'email', { address: 'bob@example.com', reason: 'bounced_address' });
    const tried = { userIds: ['ann', 'bob'], subject: 's', text: 't', category: 'news', dryRun: true } as const;
    expect(await beckon.email.send(scope, tried)).toMatchObject({
      suppressed: { unsubscribed: 1, bounced_address: 1 },
      messages: [
        { userId: 'ann', status: 'suppressed', reason: 'unsubscribed' },
        { userId: 'bob', status: 'suppressed', reason: 'bounced_address' },
      ],
    });
    expect(await toAnn({ category: 'news' })).toBe('Ann@example.com unsubscribed');
    expect(await toAnn({ category: 'offers' })).toBe('Ann@example.com sent');
    expect(await toAnn({ category: 'news', class: 'transactional' })).toBe('Ann@example.com sent');
    const text = await beckon.sms.send(scope, { userIds: ['ann'], body: 't' });
    await beckon.worker.drain();
    expect(await beckon.sends.get(scope, 'sms', 'id' in text ? text.id : '')).toMatchObject({
      status: 'suppressed',
      suppressedByReason: { unsubscribed: 1 },
    });
  });

  it('each marketing email, copies included, has its own unsubscribe link in both headers, and no other email has one', async () => {
    const { headers, link } = await mailed({ to: 'eve@example.com', cc: 'cem@example.com', tracking: { opens: true } });
    expect(headers('eve@example.com')).toMatchObject({
      'List-Unsubscribe': expect.stringMatching(URL),
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    });
    expect(link('cem@example.com')).not.toBe('');
    expect(link('cem@example.com')).not.toBe(link('eve@example.com'));
    const receipt = await mailed({
      to: 'eve@example.com',
      class: 'transactional',
      text: 'Go [{{user.unsubscribeUrl}}]',
    });
    expect(Object.keys(receipt.headers('eve@example.com')).filter((name) => name.startsWith('List-'))).toEqual([]);
    expect(receipt.mails[0]?.content).toMatchObject({ text: 'Go []' });
    const own = await mailed({ to: 'eve@example.com', headers: { 'list-unsubscribe': '<mailto:out@example.com>' } });
    expect(own.headers('eve@example.com')).toMatchObject({ 'list-unsubscribe': '<mailto:out@example.com>' });
    expect(own.link('eve@example.com')).toBe('');
    const body = await mailed({ userIds: ['ann'], html: '<a href="{{user.unsubscribeUrl}}">out</a>' });
    expect(body.mails[0]?.content).toMatchObject({ html: expect.stringContaining(body.link('Ann@example.com')) });
  });

  it('a link opts out of its category, repeatedly, and opts in again', async () => {
    const { link, data } = await mailed({ userIds: ['ann'], category: 'news' });
    const token = link('Ann@example.com');
    const expectedPage = { locale: 'de-AT', category: 'news', isSubscribed: true, isSubscribedToAny: true };
    const page = { ...expectedPage, categories: [{ name: 'news', isSubscribed: true }] };
    expect(await beckon.subscriptions.ofLink(token)).toEqual(page);
    expect(await toAnn({ category: 'news' })).toBe('Ann@example.com sent');
    clock.advance(390 * 86_400_000);
    const left = { ...page, isSubscribed: false, categories: [{ name: 'news', isSubscribed: false }] };
    const at = clock.now();
    for (const _ of [1, 2]) {
      expect(await beckon.subscriptions.changeByLink(token, { kind: 'unsubscribe' })).toEqual(left);
      clock.advance(1_000);
    }
    expect(await beckon.sends.message(scope, 'email', data[0]?.id ?? '')).toMatchObject({ unsubscribedAt: at });
    expect(await beckon.subscriptions.get(scope, 'ann')).toMatchObject({
      email: { subscribed: true, categories: { news: false } },
    });
    expect([await toAnn({ category: 'news' }), await toAnn()]).toEqual([
      'Ann@example.com unsubscribed',
      'Ann@example.com sent',
    ]);
    expect((await beckon.suppressions.list(scope, 'email')).data).toEqual([]);
    expect(await beckon.subscriptions.changeByLink(token, { kind: 'resubscribe' })).toEqual(page);
    expect(await toAnn({ category: 'news' })).toBe('Ann@example.com sent');
  });

  it('a link without a category opts the user and the address out of all marketing, not of receipts', async () => {
    const token = (await mailed({ userIds: ['ann'] })).link('Ann@example.com');
    await beckon.subscriptions.changeByLink(token, { kind: 'unsubscribe' });
    expect(await toAnn()).toBe('Ann@example.com unsubscribed');
    expect(await toAnn({ class: 'transactional' })).toBe('Ann@example.com sent');
    expect((await mailed({ to: 'ann@example.com' })).results).toEqual(['ann@example.com unsubscribed']);
    expect((await beckon.suppressions.list(scope, 'email')).data).toMatchObject([
      { address: 'ann@example.com', reason: 'unsubscribed', source: 'person' },
    ]);
    expect((await beckon.suppressions.list(other, 'email')).data).toEqual([]);
    await beckon.subscriptions.update(scope, 'ann', { email: { subscribed: true } });
    expect([await toAnn(), (await beckon.suppressions.list(scope, 'email')).data]).toEqual([
      'Ann@example.com sent',
      [],
    ]);
  });

  it('opting in on the page of a category also reverts an opt-out of everything', async () => {
    const token = (await mailed({ userIds: ['ann'], category: 'news' })).link('Ann@example.com');
    await beckon.subscriptions.changeByLink(token, { kind: 'choose', categories: [], any: false });
    expect(await beckon.subscriptions.ofLink(token)).toMatchObject({ isSubscribed: false, isSubscribedToAny: false });
    expect(await beckon.subscriptions.changeByLink(token, { kind: 'resubscribe' })).toMatchObject({
      isSubscribed: true,
      isSubscribedToAny: true,
    });
    expect(await toAnn({ category: 'news' })).toBe('Ann@example.com sent');
    expect((await beckon.suppressions.list(scope, 'email')).data).toEqual([]);
  });

  it('an address without a user can only opt out of all marketing', async () => {
    const token = (await mailed({ to: 'eve@example.com', category: 'news' })).link('eve@example.com');
    const page = { locale: null, category: null, isSubscribed: true, isSubscribedToAny: true, categories: [] };
    expect(await beckon.subscriptions.ofLink(token)).toEqual(page);
    const choice = { kind: 'choose', any: false, categories: ['news'] } as const;
    const out = { ...page, isSubscribed: false, isSubscribedToAny: false };
    expect(await beckon.subscriptions.changeByLink(token, choice)).toEqual(out);
    expect((await mailed({ to: 'Eve@example.com' })).results).toEqual(['Eve@example.com unsubscribed']);
    expect(await beckon.subscriptions.changeByLink(token, { ...choice, any: true })).toEqual(page);
    expect((await mailed({ to: 'Eve@example.com' })).results).toEqual(['Eve@example.com sent']);
  });

  it('the page changes only the categories that it shows', async () => {
    await beckon.subscriptions.update(scope, 'ann', { email: { categories: { offers: true } } });
    const token = (await mailed({ userIds: ['ann'], category: 'news' })).link('Ann@example.com');
    const choice = { kind: 'choose', any: true, categories: ['news', 'made up', ''] } as const;
    expect((await beckon.subscriptions.changeByLink(token, choice)).categories).toEqual([
      { name: 'news', isSubscribed: true },
      { name: 'offers', isSubscribed: false },
    ]);
    expect(await beckon.subscriptions.get(scope, 'ann')).toMatchObject({
      email: { subscribed: true, categories: { news: true, offers: false } },
    });
  });

  it('invalid links change nothing and answer like valid ones', async () => {
    const { link } = await mailed({
      to: 'eve@example.com',
      html: '<a href="https://x.example">x</a>',
      tracking: { clicks: true, opens: true },
    });
    const { data } = await beckon.outbox.list(scope, { channel: 'email' });
    const pixel = /email\/o\/([\w-]+)/.exec(JSON.stringify(data[0]?.content))?.[1] ?? '';
    const ours = link('eve@example.com');
    expect(pixel).not.toBe('');
    const bad = [pixel, '', 'x'.repeat(5_000), `${ours.slice(0, -1)}${ours.endsWith('A') ? 'B' : 'A'}`];
    const page = await beckon.subscriptions.ofLink(ours);
    for (const token of bad) {
      expect(await beckon.subscriptions.ofLink(token)).toEqual(page);
      expect(await beckon.subscriptions.changeByLink(token, { kind: 'resubscribe' })).toEqual(page);
    }
    for (const token of bad) await beckon.subscriptions.changeByLink(token, { kind: 'unsubscribe' });
    expect((await beckon.suppressions.list(scope, 'email')).data).toEqual([]);
  });

  it('choices and the listed address are erased with the user', async () => {
    const token = (await mailed({ userIds: ['ann'] })).link('Ann@example.com');
    await beckon.subscriptions.changeByLink(token, { kind: 'unsubscribe' });
    await beckon.subscriptions.update(scope, 'bob', { email: { subscribed: false } });
    await beckon.profiles.erase(scope, 'ann');
    await beckon.worker.drain();
    expect(await beckon.subscriptions.get(scope, 'bob')).toMatchObject({ email: { subscribed: false } });
    await beckon.events.identify(scope, { userId: 'ann', traits: {} });
    expect(await beckon.subscriptions.get(scope, 'ann')).toMatchObject({ email: { subscribed: true } });
    expect((await beckon.suppressions.list(scope, 'email')).data).toEqual([]);
    expect(await beckon.subscriptions.changeByLink(token, { kind: 'unsubscribe' })).toMatchObject({
      isSubscribed: false,
    });
    expect((await beckon.suppressions.list(scope, 'email')).data).toEqual([]);
  });
});
