import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tokensOf } from '../../test/support/identity/tokens.ts';
import {
  type AuthWorld,
  EMAIL,
  MINUTE,
  openAuth,
  PAGE,
  PASSWORD,
  refused,
  SECOND,
} from '../../test/support/identity/world.ts';

const NEW = 'new@example.com';
const VERIFIER = 'v'.repeat(43);
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');
const codeIn = (text: string): string => /\b\d{6}\b/.exec(text)?.[0] ?? '';
const wrongFor = (code: string, by = 1): string => String((Number(code) + by) % 1_000_000).padStart(6, '0');

describe('sign-in by email', () => {
  let world: AuthWorld;
  beforeEach(async () => {
    world = await openAuth();
    await world.users.create(world.scope, { email: EMAIL, emailVerified: true });
  });
  afterEach(() => world.close());

  const link = async (more: object = {}, email = EMAIL) => {
    const { challengeId } = await world.auth.requestMagicLink(world.scope, { email, ...more });
    return { challengeId, ...(await world.lastEmail()) };
  };
  const code = async (email = EMAIL) => {
    const { challengeId } = await world.auth.requestEmailCode(world.scope, { email });
    return { challengeId, email, code: codeIn((await world.lastEmail()).text) };
  };
  const sessionCount = async (email = EMAIL): Promise<number> => {
    const [user] = (await world.users.list(world.scope, { email })).data;
    return user ? (await world.users.sessions(world.scope, user.id)).data.length : 0;
  };

  it('a link signs its owner in once, within 10 minutes', async () => {
    const { auth, scope, clock } = world;
    const { token, text } = await link();
    expect(text).toContain(`${PAGE}?token=ml_`);
    const { user } = await tokensOf(auth.signInWithMagicLink(scope, { token }));
    expect(user).toMatchObject({ email: EMAIL, emailVerified: true, lastSignInAt: clock.now() });
    await expect(auth.signInWithMagicLink(scope, { token })).rejects.toMatchObject(refused('token_invalid'));
    expect(await world.eventsOf(user.userId)).toEqual(['user.signed_up', 'user.signed_in']);
    clock.advance(MINUTE);
    const late = await link();
    clock.advance(10 * MINUTE);
    await expect(auth.signInWithMagicLink(scope, { token: late.token })).rejects.toMatchObject(
      refused('token_invalid'),
    );
  });

  it('the email of a link also has a code of the same challenge, and each of them ends the other', async () => {
    const { auth, scope } = world;
    const sent = await link();
    const { challengeId, token } = sent;
    await tokensOf(auth.signInWithEmailCode(scope, { challengeId, email: EMAIL, code: sent.code }));
    await expect(auth.signInWithMagicLink(scope, { token })).rejects.toMatchObject(refused('token_invalid'));
  });

  it('a code signs its owner in once, and not with the challenge or the address of another request', async () => {
    const { auth, scope, clock } = world;
    const first = await code();
    clock.advance(MINUTE);
    const other = await code(NEW);
    const signIn = (input: object) => auth.signInWithEmailCode(scope, { ...first, ...input });
    for (const input of [{ challengeId: other.challengeId }, { email: NEW }, { email: 'no address' }])
      await expect(signIn(input)).rejects.toMatchObject(refused('code_invalid'));
    await tokensOf(signIn({ code: ` ${first.code.slice(0, 3)}-${first.code.slice(3)} ` }));
    await expect(signIn({})).rejects.toMatchObject(refused('code_invalid'));
  });

  it('five wrong codes end a challenge, and the right code is then refused alike', async () => {
    const { auth, scope } = world;
    const sent = await code();
    for (let by = 1; by <= 5; by += 1)
      await expect(auth.signInWithEmailCode(scope, { ...sent, code: wrongFor(sent.code, by) })).rejects.toMatchObject(
        refused('code_invalid'),
      );
    await expect(auth.signInWithEmailCode(scope, sent)).rejects.toMatchObject(refused('code_invalid'));
    expect(await sessionCount()).toBe(0);
  });

  it('H2 tries without the verifier leave a link with a challenge usable, and the fifth ends it', async () => {
    const { auth, scope, clock } = world;
    const { token, text } = await link({ codeChallenge: CHALLENGE });
    expect(text).toContain(`c=${CHALLENGE.slice(0, 8)}`);
    const wrong = (of: string, codeVerifier?: string) =>
      expect(auth.signInWithMagicLink(scope, { token: of, codeVerifier })).rejects.toMatchObject(
        refused('token_invalid'),
      );
    await wrong(token);
    for (let tries = 0; tries < 3; tries += 1) await wrong(token, 'w'.repeat(43));
    await tokensOf(auth.signInWithMagicLink(scope, { token, codeVerifier: VERIFIER }));
    clock.advance(MINUTE);
    const ended = await link({ codeChallenge: CHALLENGE });
    for (let tries = 0; tries < 5; tries += 1) await wrong(ended.token);
    await wrong(ended.token, VERIFIER);
  });

  it('H4 a newer request ends the earlier link and code', async () => {
    const { auth, scope, clock } = world;
    const first = await link();
    clock.advance(MINUTE);
    const second = await code();
    await expect(auth.signInWithMagicLink(scope, { token: first.token })).rejects.toMatchObject(
      refused('token_invalid'),
    );
    await expect(
      auth.signInWithEmailCode(scope, { ...second, challengeId: first.challengeId, code: first.code }),
    ).rejects.toMatchObject(refused('code_invalid'));
    await tokensOf(auth.signInWithEmailCode(scope, second));
  });

  it('an unknown address becomes a user when its link or code is used, unless createUser is false', async () => {
    const { auth, users, scope, emails } = world;
    const { token } = await link({}, NEW);
    expect((await users.list(scope, { email: NEW })).data).toEqual([]);
    const { user } = await tokensOf(auth.signInWithMagicLink(scope, { token }));
    expect(user).toMatchObject({ email: NEW, emailVerified: true, source: 'signup' });
    expect(await world.eventsOf(user.userId)).toEqual(['user.signed_up', 'user.signed_in']);
    expect(await world.beckon.profiles.get(scope, user.userId)).toMatchObject({ email: NEW });
    const count = (await emails()).length;
    await auth.requestEmailCode(scope, { email: 'nobody@example.com', createUser: false });
    await auth.updateSettings(scope, { signup: { mode: 'disabled' } });
    await auth.requestMagicLink(scope, { email: 'somebody@example.com' });
    expect(await emails()).toHaveLength(count);
  });

  it('a link that would create a user is refused once sign-up is disabled', async () => {
    const { auth, users, scope } = world;
    const { token } = await link({}, NEW);
    await auth.updateSettings(scope, { signup: { mode: 'disabled' } });
    await expect(auth.signInWithMagicLink(scope, { token })).rejects.toMatchObject(refused('token_invalid'));
    expect((await users.list(scope, { email: NEW })).data).toEqual([]);
  });

  it('a disabled user gets no email, and an open link is refused', async () => {
    const { auth, users, scope, clock, emails } = world;
    const { token } = await link();
    const [user] = (await users.list(scope, { email: EMAIL })).data;
    await users.update(scope, user?.id ?? '', { disabled: true });
    await expect(auth.signInWithMagicLink(scope, { token })).rejects.toMatchObject(refused('token_invalid'));
    clock.advance(MINUTE);
    const count = (await emails()).length;
    await auth.requestEmailCode(scope, { email: EMAIL });
    expect(await emails()).toHaveLength(count);
  });

  it('a page that is not registered, and a project without pages, are refused', async () => {
    const { auth, scope } = world;
    const ask = (redirectTo?: string) => auth.requestMagicLink(scope, { email: EMAIL, redirectTo });
    await expect(ask('https://evil.example/')).rejects.toMatchObject(refused('redirect_not_allowed'));
    await auth.updateSettings(scope, { redirectUris: [] });
    await expect(ask()).rejects.toMatchObject(refused('redirect_not_allowed'));
  });

  it.each(['link', 'code'] as const)('L6 the first %s removes the password and the sessions of before', async (way) => {
    const { auth, scope, clock, signIn } = world;
    await auth.updateSettings(scope, { signup: { autoSignIn: true } });
    const attacker = await tokensOf(
      // Safe: with automatic sign-in the result of a new address is a session.
      auth.signUp(scope, { email: NEW, password: PASSWORD }) as ReturnType<typeof auth.signIn>,
    );
    await world.lastEmail();
    clock.advance(MINUTE);
    if (way === 'link') await auth.signInWithMagicLink(scope, { token: (await link({}, NEW)).token });
    else await auth.signInWithEmailCode(scope, await code(NEW));
    await expect(signIn(scope, NEW, PASSWORD)).rejects.toMatchObject(refused('invalid_credentials'));
    await expect(auth.authenticate(scope, attacker.accessToken)).rejects.toMatchObject(refused('session_expired'));
    expect(await sessionCount(NEW)).toBe(1);
  });

  it('a link of a user with a verified address keeps the password', async () => {
    const { auth, scope, clock, register, signIn } = world;
    await register(scope, NEW);
    clock.advance(MINUTE);
    await auth.signInWithMagicLink(scope, { token: (await link({}, NEW)).token });
    await signIn(scope, NEW);
  });

  it('20 uses of one link at the same time start one session', async () => {
    const { auth, scope } = world;
    for (const email of [EMAIL, NEW]) {
      const { token } = await link({}, email);
      const results = await Promise.allSettled(
        Array.from({ length: 20 }, () => auth.signInWithMagicLink(scope, { token })),
      );
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await sessionCount(email)).toBe(1);
    }
  });

  it('20 wrong codes at the same time take five tries, and the right code after them is refused', async () => {
    const { auth, scope, database } = world;
    const sent = await code();
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, at) =>
        auth.signInWithEmailCode(scope, { ...sent, code: wrongFor(sent.code, at + 1) }),
      ),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toEqual([]);
    const rows = await database.storage.db.select().from(database.tables.authOneTime);
    expect(rows.find(({ id }) => id === sent.challengeId)).toMatchObject({ tries: 5, consumedAt: null });
    await expect(auth.signInWithEmailCode(scope, sent)).rejects.toMatchObject(refused('code_invalid'));
  });

  it.each([
    ['E3', 'requestMagicLink'],
    ['E3', 'requestEmailCode'],
  ] as const)('%s %s takes the same statements for existing, unknown and disabled addresses', async (_, name) => {
    const { auth, users, scope, workOf } = world;
    const off = await users.create(scope, { email: 'off@example.com', emailVerified: true });
    await users.update(scope, off.id, { disabled: true });
    // Reads the settings, which are cached afterwards.
    await auth[name](scope, { email: 'somebody@example.com' });
    const ask = async (email: string, createUser = true) => {
      const { answer, statements, hashes } = await workOf(() => auth[name](scope, { email, createUser }));
      expect(answer).toEqual({ sent: true, challengeId: expect.stringMatching(/^[\da-f-]{36}$/) });
      expect(hashes).toEqual({ hash: 0, verify: 0 });
      return statements;
    };
    const existing = await ask(EMAIL);
    expect(await ask('nobody@example.com')).toEqual(existing);
    const ofSend = ['sending.insert_send', 'sending.seal', 'sending.insert_message', 'wake'];
    const without = existing.filter((one) => !ofSend.includes(one));
    expect(await ask('nobody-else@example.com', false)).toEqual(without);
    expect(await ask('off@example.com')).toEqual(without);
  });

  it.each(['requestMagicLink', 'requestEmailCode'] as const)(
    'E4, E6 over the limit %s writes nothing and answers with a challenge id, and the earlier email still works',
    async (name) => {
      const { auth, scope, clock, workOf, lastEmail, emails } = world;
      const first = await auth[name](scope, { email: EMAIL, createUser: false });
      const text = (await lastEmail()).text;
      const unknown = await auth[name](scope, { email: 'nobody@example.com', createUser: false });
      clock.advance(5 * SECOND);
      const count = (await emails()).length;
      const over = await workOf(() => auth[name](scope, { email: EMAIL, createUser: false }));
      const overUnknown = await workOf(() => auth[name](scope, { email: 'nobody@example.com', createUser: false }));
      expect(over.answer).toEqual(first);
      expect(overUnknown.answer).toEqual(unknown);
      expect(over.statements).toEqual(['auth.mail_counts', 'auth.mail_budget', 'auth.one_time_of']);
      expect(overUnknown.statements).toEqual(over.statements);
      expect(await emails()).toHaveLength(count);
      const input = { challengeId: first.challengeId, email: EMAIL, code: /(?<!\d)\d{6}(?!\d)/.exec(text)?.[0] ?? '' };
      await tokensOf(auth.signInWithEmailCode(scope, input));
      // A used code is answered with a new id: a response without an id would reveal that the code was used.
      const after = await auth[name](scope, { email: EMAIL, createUser: false });
      expect(after).toEqual({ sent: true, challengeId: expect.stringMatching(/^[\da-f-]{36}$/) });
      expect(after.challengeId).not.toBe(first.challengeId);
    },
  );

  it('T3 a link and a code of one project are unknown in another one, and stay usable at home', async () => {
    const { auth, scope, project, environmentOf } = world;
    const { token, challengeId, code: sent } = await link();
    for (const other of [await project(), await environmentOf(scope, 'prod')]) {
      await expect(auth.signInWithMagicLink(other, { token })).rejects.toMatchObject(refused('token_invalid'));
      await expect(auth.signInWithEmailCode(other, { challengeId, email: EMAIL, code: sent })).rejects.toMatchObject(
        refused('code_invalid'),
      );
    }
    await tokensOf(auth.signInWithMagicLink(scope, { token }));
  });

  it('a user without a password becomes recent with the code of an email, which works once and for that user', async () => {
    const { auth, scope, clock, emails } = world;
    const signedIn = await tokensOf(auth.signInWithMagicLink(scope, { token: (await link()).token }));
    clock.advance(11 * MINUTE);
    const bearer = await auth.authenticate(scope, signedIn.accessToken);
    await expect(auth.authenticate(scope, signedIn.accessToken, { fresh: true })).rejects.toMatchObject(
      refused('reauth_required'),
    );
    const { challengeId } = await auth.requestReauthentication(scope, bearer);
    const count = (await emails()).length;
    expect(await auth.requestReauthentication(scope, bearer)).toEqual({ sent: true, challengeId });
    expect(await emails()).toHaveLength(count);
    const emailCode = codeIn((await world.lastEmail()).text);
    const step = (input: object) => auth.reauthenticate(scope, bearer, input);
    await expect(step({ challengeId, emailCode: wrongFor(emailCode) })).rejects.toMatchObject(refused('code_invalid'));
    const renewed = await step({ challengeId, emailCode });
    expect(renewed.sessionId).toBe(signedIn.sessionId);
    await auth.authenticate(scope, renewed.accessToken, { fresh: true });
    await expect(step({ challengeId, emailCode })).rejects.toMatchObject(refused('code_invalid'));
    // The code of a step-up is no code of a sign-in, and the other way around.
    await expect(auth.signInWithEmailCode(scope, { challengeId, email: EMAIL, code: emailCode })).rejects.toMatchObject(
      refused('code_invalid'),
    );
    for (const wrong of [{}, { challengeId }, { emailCode }, { password: PASSWORD, challengeId, emailCode }])
      await expect(step(wrong)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});
