import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { unchecked } from '../../../test/support/unchecked.ts';
import type { Beckon } from '../../app/api.ts';
import { createBeckon } from '../../app/create.ts';
import type { BeckonOptions } from '../../app/options.ts';
import { virtualClock } from '../../foundation/clock.ts';
import type { Scope } from '../../foundation/scope.ts';
import { newMasterKey } from '../../foundation/secrets.ts';

const SHOP = 'https://shop.test/?a=1&b=2';
const html = '<body><a href="https://shop.test/?a=1&amp;b=2">Shop</a></body>';
const tracking = { opens: true, clicks: true };
const LINK = /https:\/\/beckon\.test\/in\/api\/v1\/email\/([oc])\/([\w-]+)/g;

describe('a tracked email', () => {
  const clock = virtualClock('2026-03-01T10:00:00.000Z');
  const masterKey = newMasterKey();
  let folder: string;
  let database: TestDatabase;
  let beckon: Beckon;
  let scope: Scope;
  const opened: Beckon[] = [];
  /** Starts another process on the same database. */
  const start = async (more: Partial<BeckonOptions> = {}): Promise<Beckon> => {
    const one = await createBeckon({
      db: database.url,
      masterKey,
      clock,
      publicUrl: 'https://beckon.test/in',
      ...more,
    });
    opened.push(one);
    return one;
  };
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'beckon-tracking-'));
    database = await openTestDatabase({ url: `sqlite:${join(folder, 'beckon.db')}` });
    beckon = await start();
    const org = await beckon.tenancy.createOrg({ name: 'Acme' });
    const project = await beckon.tenancy.createProject({ orgId: org.id, name: 'App' });
    scope = await beckon.tenancy.scope({ orgId: org.id, projectId: project.id, environment: 'test' });
    await beckon.events.identify(scope, { userId: 'ann', traits: { email: 'ann@example.com' } });
  });
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
    await database.close();
    rmSync(folder, { recursive: true });
  });

  const send = async (body: Readonly<Record<string, unknown>>, worker = beckon): Promise<string> => {
    const answer = await beckon.email.send(scope, unchecked({ subject: 'Hi', html, tracking, ...body }));
    await worker.worker.drain();
    return answer.id;
  };
  /** Pixel and link tokens of each email in the outbox, oldest first. */
  const caught = async (): Promise<Record<string, string>[]> => {
    const { data } = await beckon.outbox.list(scope);
    return data
      .toReversed()
      .map(({ content }) =>
        Object.fromEntries(
          [...String('html' in content && content.html).matchAll(LINK)].map(([, kind = '', token = '']) => [
            kind,
            token,
          ]),
        ),
      );
  };
  const message = async (sendId: string) => (await beckon.sends.messages(scope, 'email', sendId)).data[0];
  const counts = async (sendId: string) => (await beckon.sends.get(scope, 'email', sendId)).counts;
  /** Stored events of a user, oldest first, without identify events. */
  const storedEvents = async () =>
    (await beckon.profiles.events(scope, 'ann')).data
      .toReversed()
      .filter(({ source }) => source === 'system')
      .map(({ module, eventType, properties }) => ({ module, eventType, properties }));

  it('an open and a click are recorded with the URL and keep the status', async () => {
    const sendId = await send({ userIds: ['ann'] });
    const [{ o = '', c = '' } = {}] = await caught();
    clock.advance(60_000);
    const openedAt = clock.now();
    await beckon.email.trackOpen(o);
    clock.advance(60_000);
    expect(await beckon.email.trackClick(c)).toEqual({ url: SHOP });
    const { id: messageId, ...one } = (await message(sendId)) ?? { id: '' };
    expect(one).toMatchObject({ status: 'sent', openedAt, clickedAt: clock.now(), clickAction: SHOP });
    await beckon.email.trackOpen(o);
    await beckon.email.trackClick(c);
    await beckon.email.trackClick(c);
    expect(await counts(sendId)).toMatchObject({ opened: 2, clicked: 1 });
    clock.advance(60_000);
    await beckon.email.trackOpen(o);
    await beckon.email.trackClick(c);
    expect(await message(sendId)).toMatchObject(one);
    expect(await counts(sendId)).toMatchObject({ sent: 1, opened: 3, uniqueOpened: 1, clicked: 2, uniqueClicked: 1 });
    const about = { sendId, messageId };
    expect(await storedEvents()).toEqual(
      [
        ['email.opened', about],
        ['email.clicked', { ...about, url: SHOP }],
        ['email.opened', about],
        ['email.opened', about],
        ['email.clicked', { ...about, url: SHOP }],
      ].map(([eventType, properties]) => ({ module: 'email', eventType, properties })),
    );
  });

  it('a click counts as an open', async () => {
    const sendId = await send({ userIds: ['ann'] });
    clock.advance(60_000);
    await beckon.email.trackClick((await caught())[0]?.['c'] ?? '');
    expect(await message(sendId)).toMatchObject({ openedAt: clock.now(), clickedAt: clock.now() });
    expect(await counts(sendId)).toMatchObject({ opened: 1, uniqueOpened: 1, clicked: 1, uniqueClicked: 1 });
    expect((await storedEvents()).map(({ eventType }) => eventType)).toEqual(['email.opened', 'email.clicked']);
  });

  it('an open of an email to a raw address counts and is an event without a user', async () => {
    const sendId = await send({ to: 'ann@example.com' });
    clock.advance(60_000);
    await beckon.email.trackClick((await caught())[0]?.['c'] ?? '');
    expect(await message(sendId)).toMatchObject({ openedAt: clock.now(), clickAction: SHOP });
    expect(await counts(sendId)).toMatchObject({ opened: 1, clicked: 1 });
    expect(await storedEvents()).toEqual([]);
  });

  it('each recipient has its own links', async () => {
    await beckon.events.identify(scope, { userId: 'bob', traits: { email: 'bob@example.com' } });
    const sendId = await send({ userIds: ['ann', 'bob'] });
    const [ann, bob] = await caught();
    expect(ann?.['o']).not.toBe(bob?.['o']);
    await beckon.email.trackOpen(bob?.['o'] ?? '');
    const { data } = await beckon.sends.messages(scope, 'email', sendId);
    expect(data.map(({ userId, openedAt }) => [userId, openedAt !== null])).toEqual([
      ['ann', false],
      ['bob', true],
    ]);
  });

  it('copies are not tracked', async () => {
    await send({ to: 'ann@example.com', cc: 'bob@example.com', bcc: 'eve@example.com' });
    const kinds = (await caught()).map((links) => Object.keys(links).sort());
    expect(kinds).toEqual([['c', 'o'], [], []]);
  });

  it('an email is tracked on request only, and never its text body', async () => {
    const text = 'See https://shop.test/';
    await send({ userIds: ['ann'], text, tracking: { opens: false } });
    await send({ userIds: ['ann'], text });
    const { data } = await beckon.outbox.list(scope);
    expect(data.map(({ content }) => 'text' in content && content.text)).toEqual([text, text]);
    expect(data.map(({ content }) => 'html' in content && content.html === html)).toEqual([false, true]);
  });

  it('a dry run shows tracking links that count nothing', async () => {
    const dry = await beckon.email.send(scope, { userIds: ['ann'], subject: 'Hi', html, tracking, dryRun: true });
    const [[, , token = ''] = []] = JSON.stringify(dry).matchAll(LINK);
    expect(await beckon.email.trackClick(token)).toEqual({ url: SHOP });
    expect(await storedEvents()).toEqual([]);
  });

  it('resolving a tracked link without recording reports no click', async () => {
    const sendId = await send({ userIds: ['ann'] });
    expect(await beckon.email.trackClick((await caught())[0]?.['c'] ?? '', { isRecorded: false })).toEqual({
      url: SHOP,
    });
    expect(await counts(sendId)).toMatchObject({ opened: 0, clicked: 0 });
  });

  it('a worker without the publicUrl sends tracked email, whose links every process can read', async () => {
    const worker = await start({ publicUrl: undefined });
    const sendId = await send({ userIds: ['ann'] }, worker);
    const later = await start();
    clock.advance(60_000);
    expect(await later.email.trackClick((await caught())[0]?.['c'] ?? '')).toEqual({ url: SHOP });
    expect(await counts(sendId)).toMatchObject({ clicked: 1 });
  });

  it('links of another deployment do not redirect', async () => {
    await send({ userIds: ['ann'] });
    const [{ o = '', c = '' } = {}] = await caught();
    const other = await createBeckon({ db: 'sqlite::memory:', masterKey, clock });
    opened.push(other);
    await expect(other.email.trackClick(c)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await other.email.trackOpen(o);
  });

  it('links never redirect to a host from a value, and expire', async () => {
    await beckon.events.identify(scope, { userId: 'ann', traits: { site: 'https://evil.test/', path: 'x' } });
    const own = '<a href="https://shop.test/{{trait.path}}">b</a>';
    await send({ userIds: ['ann'], html: `<a href="{{trait.site}}">a</a>${own}` });
    const { data } = await beckon.outbox.list(scope);
    const [mail] = data.map(({ content }) => String('html' in content && content.html));
    expect(mail).toContain('<a href="https://evil.test/">a</a>');
    const [{ o = '', c = '' } = {}] = await caught();
    clock.advance(400 * 86_400_000);
    expect(await beckon.email.trackClick(c)).toEqual({ url: 'https://shop.test/x' });
    const short = await start({ email: { linkDays: 30 } });
    await expect(short.email.trackClick(c)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    clock.advance(1_000);
    await expect(beckon.email.trackClick(c)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await beckon.email.trackOpen(o);
    expect((await storedEvents()).map(({ eventType }) => eventType)).toEqual(['email.opened', 'email.clicked']);
  });

  it('tracking without a publicUrl is rejected and nothing is written', async () => {
    const without = await start({ publicUrl: undefined });
    await expect(
      without.email.send(await without.tenancy.scope(scope), {
        userIds: ['ann'],
        subject: 'Hi',
        html,
        tracking: { opens: true },
      }),
    ).rejects.toMatchObject({ code: 'VALIDATION_ERROR', details: { fieldErrors: { tracking: [expect.anything()] } } });
    expect((await beckon.sends.list(scope, 'email')).data).toEqual([]);
  });

  it.each([
    ['ends as an error', undefined, 'error', 'tracking_unavailable', 0],
    ['is tracked', 'https://beckon.test/in', 'ok', null, 2],
  ])('tracking in a workflow step %s with the publicUrl %s', async (_, publicUrl, outcome, reason, links) => {
    const worker = await start({ publicUrl });
    const own = await worker.tenancy.scope(scope);
    const steps = [{ type: 'send_email', config: { subject: 'Hi', html, tracking } }] as const;
    const workflow = { name: 'W', description: null, isActive: true, trigger: { eventType: 'asked' }, steps };
    await worker.workflows.importBundle(own, {
      version: 1,
      exportedAt: clock.now().toISOString(),
      workflows: [workflow],
    });
    await worker.events.track(own, { module: 'm', eventType: 'asked', userId: 'ann' });
    await worker.worker.drain();
    const [run] = (await worker.runs.list(own)).data;
    const { steps: done } = await worker.runs.get(own, run?.id ?? '');
    expect(done).toMatchObject([{ outcome, reason }]);
    expect((await caught()).flatMap((one) => Object.keys(one))).toHaveLength(links);
  });
});
