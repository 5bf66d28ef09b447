import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { workflowOn } from '../../test/support/events/watching.ts';
import { type AuthWorld, DAY, EMAIL, MINUTE, openAuth, PASSWORD } from '../../test/support/identity/world.ts';
import { unchecked } from '../../test/support/unchecked.ts';
import type { AuthEvent } from './commit/commit.ts';

const OTHER = 'another good passphrase';

/** A registered user who signs in, and the user's bearer. */
const signedIn = async ({ auth, scope, register, signIn }: AuthWorld) => {
  await register();
  const tokens = await signIn();
  return { tokens, bearer: await auth.authenticate(scope, tokens.accessToken) };
};

type Case = {
  readonly name: AuthEvent['name'];
  readonly when: string;
  /** What the properties of the event hold. */
  readonly properties: object;
  /** What happens before anybody subscribes. */
  readonly before: (world: AuthWorld) => Promise<(world: AuthWorld) => Promise<unknown>>;
};

const CASES: readonly Case[] = [
  {
    ...{ name: 'user.signed_up', when: 'a mailbox is proven', properties: { source: 'signup' } },
    before: async () => (world) => world.register(),
  },
  {
    ...{ name: 'user.signed_in', when: 'a user signs in', properties: { method: 'password', mfa: false } },
    before: async (world) => {
      await world.register();
      return () => world.signIn();
    },
  },
  {
    ...{ name: 'user.session_expired', when: 'an administrator ends it', properties: { reason: 'admin' } },
    before: async (world) => {
      const { tokens } = await signedIn(world);
      return () => world.users.revokeSessions(world.scope, tokens.user.id);
    },
  },
  {
    ...{ name: 'user.session_expired', when: 'it was not used for 30 days', properties: { reason: 'idle' } },
    before: async (world) => {
      await signedIn(world);
      // Before anybody subscribes: a webhook that nobody pulls is deleted in this time.
      world.clock.advance(30 * DAY + MINUTE);
      return async () => undefined;
    },
  },
  {
    ...{ name: 'user.session_expired', when: 'a refresh token is used twice', properties: { reason: 'refresh_reuse' } },
    before: async ({ auth, scope, clock, ...world }) => {
      const { tokens } = await signedIn({ auth, scope, clock, ...world });
      const { refreshToken } = await auth.refresh(scope, { refreshToken: tokens.refreshToken });
      await auth.refresh(scope, { refreshToken });
      clock.advance(MINUTE);
      return () => auth.refresh(scope, { refreshToken: tokens.refreshToken }).catch(() => undefined);
    },
  },
  {
    ...{ name: 'user.password_reset', when: 'an emailed link is used', properties: { by: 'reset' } },
    before: async ({ auth, scope, clock, register, lastEmail }) => {
      await register();
      clock.advance(MINUTE);
      await auth.forgotPassword(scope, { email: EMAIL });
      const { token } = await lastEmail();
      return () => auth.resetPassword(scope, { token, password: OTHER });
    },
  },
  {
    ...{ name: 'user.password_reset', when: 'a user changes the password', properties: { by: 'change' } },
    before: async (world) => {
      const { bearer } = await signedIn(world);
      const input = { currentPassword: PASSWORD, newPassword: OTHER };
      return ({ auth, scope }) => auth.changePassword(scope, bearer, input);
    },
  },
  {
    ...{ name: 'user.identified', when: 'a user changes the name', properties: { changed: ['name'] } },
    before: async (world) => {
      const { bearer } = await signedIn(world);
      return ({ auth, scope }) => auth.updateMe(scope, bearer, { name: 'Ann' });
    },
  },
  {
    ...{ name: 'user.identified', when: 'a user changes the address', properties: { changed: ['email'] } },
    before: async (world) => {
      const { bearer } = await signedIn(world);
      world.clock.advance(MINUTE);
      await world.auth.changeEmail(world.scope, bearer, { newEmail: 'ann@new.example' });
      const { token } = await world.lastEmail();
      return ({ auth, scope }) => auth.verifyEmail(scope, { token });
    },
  },
];

describe('events of sign-in', () => {
  let world: AuthWorld;
  beforeEach(async () => {
    world = await openAuth();
  });
  afterEach(() => world.close());

  it.each(CASES)(
    '$name starts a workflow and reaches a webhook once when $when',
    async ({ name, properties, before }) => {
      const { beckon, scope } = world;
      const happens = await before(world);
      const exportedAt = '2026-03-01T10:00:00.000Z';
      const workflows = [workflowOn(name)];
      await beckon.workflows.importBundle(scope, unchecked({ version: 1, exportedAt, workflows }));
      const webhook = await beckon.webhooks.create(scope, {
        ...{ url: 'https://shop.example/', events: [name], isPulled: true },
      });
      await happens(world);
      // Maintenance ends idle sessions, and the workflow starts afterwards.
      for (let turn = 0; turn < 2; turn += 1) await beckon.worker.drain();
      const runs = (await beckon.runs.list(scope)).data;
      expect(runs).toMatchObject([{ workflowName: `On ${name}`, status: 'completed' }]);
      const { data: deliveries } = await beckon.webhooks.deliveries(scope, webhook.id);
      const bodies = await Promise.all(deliveries.map(({ id }) => beckon.webhooks.delivery(scope, id)));
      const [user] = (await world.users.list(scope)).data;
      expect(bodies.map(({ body }) => JSON.parse(body))).toMatchObject([
        { event: { id: runs[0]?.triggerEventId, type: name }, data: { userId: user?.userId, ...properties } },
      ]);
      // What a webhook receives may be stored anywhere.
      expect(bodies[0]?.body).not.toContain('@');
    },
  );
});
