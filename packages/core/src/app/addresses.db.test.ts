import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { testSeed } from '../../test/support/test-seed.ts';
import { unchecked } from '../../test/support/unchecked.ts';
import { virtualClock } from '../foundation/clock.ts';
import { userPerson } from '../foundation/person.ts';
import type { Scope } from '../foundation/scope.ts';
import { newMasterKey } from '../foundation/secrets.ts';
import type { EmailInput } from '../messaging/email/api.ts';
import type { DryRun, Send } from '../messaging/sends/answers.generated.ts';
import type { Beckon } from './api.ts';
import { createBeckon } from './create.ts';

/** Number of paddings that are tested; each runs through every route. */
const RUNS = 4;
const WHITE_SPACE = [
  ' ',
  '\t',
  '\n',
  '\r',
  '\u0085',
  '\u00a0',
  '\u1680',
  '\u2003',
  '\u2028',
  '\u202f',
  '\u3000',
  '\ufeff',
];
const padding = fc
  .array(fc.constantFrom(...WHITE_SPACE), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join(''));

describe('addresses with surrounding white space', () => {
  const clock = virtualClock('2026-03-01T12:00:00.000Z');
  let folder: string;
  let database: TestDatabase;
  let beckon: Beckon;
  let scope: Scope;
  let made = 0;
  beforeAll(async () => {
    // In a file, which the tests write to like an earlier version did.
    folder = await mkdtemp(join(tmpdir(), 'beckon-addresses-'));
    database = await openTestDatabase({ url: `sqlite:${join(folder, 'beckon.db')}` });
    beckon = await createBeckon({ db: database.url, masterKey: newMasterKey(), clock, publicUrl: 'https://b.example' });
    const { id: orgId } = await beckon.tenancy.createOrg({ name: 'A' });
    const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
    scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'test' });
  });
  afterAll(async () => {
    await beckon.close();
    await database.close();
    await rm(folder, { recursive: true });
  });

  /** An email address and a phone number without any data. */
  const fresh = () => {
    made += 1;
    return {
      userId: `user-${made}`,
      email: `ada.${made}@example.com`,
      phone: `+1415555${2_000 + made}`,
    };
  };
  const standsOf = async (channel: 'email' | 'sms', answer: Send | DryRun): Promise<string[]> => {
    await beckon.worker.drain();
    // Safe: the send is no dry run.
    const { data } = await beckon.sends.messages(scope, channel, (answer as Send).id);
    return data.map(({ address, status, reason }) => `${address} ${reason ?? status}`).sort();
  };
  const mailed = async (body: Partial<EmailInput>): Promise<string[]> =>
    standsOf('email', await beckon.email.send(scope, unchecked({ subject: 's', text: 't', ...body })));
  const texted = async (body: object): Promise<string[]> =>
    standsOf('sms', await beckon.sms.send(scope, unchecked({ body: 'Hi', ...body })));
  const forPaddings = (walk: (pad: (text: string) => string) => Promise<void>): Promise<void> =>
    fc.assert(
      fc.asyncProperty(padding, padding, (before, after) => walk((text) => before + text + after)),
      { numRuns: RUNS, seed: testSeed() },
    );

  it('a padded address trait reaches its user and is stored without white space, however it was set', async () => {
    await forPaddings(async (pad) => {
      const { userId, email, phone } = fresh();
      const traits = { email: pad(email), phone: pad(phone) };
      await beckon.events.identify(scope, { userId, traits });
      expect((await beckon.profiles.get(scope, userId)).traits).toEqual({ email, phone });
      expect(await mailed({ userIds: [userId] })).toEqual([`${email} sent`]);
      expect(await texted({ userIds: [userId] })).toEqual([`${phone} sent`]);

      const tracked = fresh();
      const event = { module: 'm', eventType: 'e', userId: tracked.userId };
      await beckon.events.track(scope, { ...event, traits: { email: pad(tracked.email) } });
      expect(await mailed({ userIds: [tracked.userId] })).toEqual([`${tracked.email} sent`]);

      const set = fresh();
      await beckon.events.identify(scope, { userId: set.userId, traits: {} });
      await beckon.profiles.update(scope, set.userId, { email: pad(set.email), phone: pad(set.phone) });
      expect(await beckon.profiles.get(scope, set.userId)).toMatchObject({ email: set.email, phone: set.phone });
      await beckon.profiles.update(scope, set.userId, { email: null, traits: { email: pad(email) } });
      expect(await mailed({ userIds: [set.userId] })).toEqual([`${email} sent`]);
    });
  });

  it('setting a padded address changes nothing if the trait is stored without white space', async () => {
    const { userId, email } = fresh();
    await beckon.events.identify(scope, { userId, traits: { email } });
    await beckon.events.identify(scope, { userId, traits: { email: ` ${email}\u0085` } });
    const { data } = await beckon.profiles.events(scope, userId);
    expect(data.map(({ properties }) => properties['traits'])).toEqual([[], ['email']]);
  });

  it('a padded address that an earlier version stored reaches its user, and lists and erasure find it', async () => {
    await forPaddings(async (pad) => {
      const { userId, email, phone } = fresh();
      await beckon.events.identify(scope, { userId, traits: { email, phone } });
      const { profiles } = database.tables;
      const { db } = database.storage;
      await db
        .update(profiles)
        .set({ traits: { email: pad(email), phone: pad(phone) } })
        .where(eq(profiles.person, userPerson(userId)));
      expect((await beckon.profiles.get(scope, userId)).traits).toEqual({ email: pad(email), phone: pad(phone) });
      expect(await mailed({ userIds: [userId] })).toEqual([`${email} sent`]);
      expect(await texted({ userIds: [userId] })).toEqual([`${phone} sent`]);
      await beckon.suppressions.add(scope, 'email', { address: email, reason: 'unsubscribed' });
      await beckon.suppressions.add(scope, 'sms', { address: phone });
      expect(await mailed({ userIds: [userId] })).toEqual([`${email} unsubscribed`]);
      expect(await texted({ userIds: [userId] })).toEqual([`${phone} unsubscribed`]);
      await beckon.subscriptions.update(scope, userId, { email: { subscribed: true } });
      expect(await mailed({ userIds: [userId] })).toEqual([`${email} sent`]);
      await beckon.profiles.erase(scope, userId);
      await beckon.worker.drain();
      expect((await beckon.suppressions.list(scope, 'sms', { address: phone })).data).toEqual([]);
    });
  });

  it('white space within an old phone number does not hide a user from erasure', async () => {
    const { userId, phone } = fresh();
    await beckon.events.identify(scope, { userId, traits: {} });
    // A sender whose number is on no profile is anonymous, identified by that number.
    await beckon.events.track(scope, { module: 'sms', eventType: 'wrote', anonymousId: phone });
    const { profiles } = database.tables;
    const traits = { phone: phone.replace('+1415', ' +1 (415) ') };
    await database.storage.db
      .update(profiles)
      .set({ traits })
      .where(eq(profiles.person, userPerson(userId)));
    await beckon.profiles.erase(scope, userId);
    await beckon.worker.drain();
    const { data } = await beckon.events.list(scope, { limit: 200 });
    expect(data.filter(({ anonymousId, userId: of }) => anonymousId === phone || of === userId)).toEqual([]);
  });

  it('a padded address counts as the trimmed one in every field of a send', async () => {
    await forPaddings(async (pad) => {
      const [to, cc, bcc] = [fresh(), fresh(), fresh()];
      const from = { email: pad('shop@example.com'), name: 'Shop' };
      const copies = { cc: [pad(cc.email)], bcc: pad(bcc.email) };
      expect(
        await mailed(unchecked({ to: { email: pad(to.email) }, from, replyTo: pad('desk@example.com'), ...copies })),
      ).toEqual([to, cc, bcc].map(({ email }) => `${email} sent`).sort());
      const caught = (await beckon.outbox.list(scope, { channel: 'email' })).data.find(
        (one) => one.address === to.email,
      );
      expect(caught?.content).toMatchObject({ from: { email: 'shop@example.com', name: 'Shop' } });
      expect(await mailed({ to: [to.email, pad(to.email)] })).toEqual([`${to.email} duplicate`, `${to.email} sent`]);
      expect(await texted({ to: [pad(to.phone), to.phone], from: pad('+15005550006') })).toEqual([
        `${to.phone} duplicate`,
        `${to.phone} sent`,
      ]);
    });
  });

  it('a padded address counts as the trimmed one when suppressions are added, found, checked and removed', async () => {
    await forPaddings(async (pad) => {
      const { email, phone } = fresh();
      const { suppressions } = beckon;
      for (const [channel, address] of [
        ['email', email],
        ['sms', phone],
      ] as const) {
        const sender = channel === 'sms' ? { sender: pad('+15005550006') } : {};
        expect(await suppressions.add(scope, channel, unchecked({ address: pad(address), ...sender }))).toEqual({
          added: 1,
          existing: 0,
        });
        expect(
          await suppressions.add(scope, channel, unchecked({ addresses: [address, pad(address)], ...sender })),
        ).toEqual({
          added: 0,
          existing: 1,
        });
        const found = await suppressions.list(scope, channel, { address: pad(address), ...sender });
        expect(found.data.map((entry) => entry.address)).toEqual([address]);
        expect(await suppressions.remove(scope, channel, { address: pad(address) })).toEqual({ removed: 1 });
      }
    });
  });

  it('a suppression is found in either spelling of an international domain', async () => {
    await beckon.suppressions.add(scope, 'email', { address: 'ada@bücher.example' });
    const { data } = await beckon.suppressions.list(scope, 'email', { address: ' Ada@BÜCHER.example ' });
    expect(data.map(({ address }) => address)).toEqual(['ada@xn--bcher-kva.example']);
  });

  it('a padded address counts as the trimmed one in workflow steps', async () => {
    const { email, phone, userId } = fresh();
    await beckon.workflows.create(scope, {
      name: 'Answer',
      trigger: { eventType: 'asked' },
      steps: [
        { type: 'send_email', config: { to: '{{event.email}}', subject: 's', text: 't' } },
        { type: 'send_sms', config: { to: '{{event.phone}}', body: 'Hi' } },
        { type: 'update_profile', config: { set: { email: ' {{event.email}}\u3000' } } },
      ],
      isActive: true,
    });
    const properties = { email: `\u0085${email}\u2003`, phone: `\u00a0${phone.replace('415', ' (415) ')}\t` };
    await beckon.events.track(scope, { module: 'm', eventType: 'asked', userId, properties });
    await beckon.worker.drain();
    const caught = (await beckon.outbox.list(scope)).data.map(({ address }) => address);
    expect(caught).toEqual(expect.arrayContaining([email, phone]));
    expect((await beckon.profiles.get(scope, userId)).traits).toEqual({ email });
  });
});
