import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Beckon } from '../../../src/app/api.ts';
import { createBeckon } from '../../../src/app/create.ts';
import type { BeckonOptions } from '../../../src/app/options.ts';
import { virtualClock } from '../../../src/foundation/clock.ts';
import type { Environment, Scope } from '../../../src/foundation/scope.ts';
import { newMasterKey } from '../../../src/foundation/secrets.ts';
import type { HashPool } from '../../../src/identity/passwords/pool.ts';
import type { TokenSet } from '../../../src/identity/shapes/answers.generated.ts';
import { openTestDatabase, type TestDatabase } from '../database.ts';
import { quickHashes } from './quick-hashes.ts';
import { tokensOf } from './tokens.ts';

export const START = '2026-03-01T10:00:00.000Z';
export const PAGE = 'https://app.example.com/auth';
export const EMAIL = 'ann@example.com';
export const PASSWORD = 'correct horse battery';
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** A caught email of sign-in. */
export type Caught = {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** Token of its link, and its code; empty where it has none. */
  readonly token: string;
  readonly code: string;
};

/** Reads the link and the code of an email. */
export const secretsOf = (text: string): Pick<Caught, 'token' | 'code'> => {
  const link = /https?:\/\/\S+/.exec(text)?.[0];
  const token = link === undefined ? null : new URL(link).searchParams.get('token');
  return { token: token ?? '', code: /code: (\d{6})/.exec(text)?.[1] ?? '' };
};

export type AuthWorld = Awaited<ReturnType<typeof openAuth>>;

/** A whole service over an empty database, with one project whose sign-in is set up. */
export const openAuth = async (
  more: Partial<BeckonOptions> = {},
  /** In place of quick hashes. */
  { hashPool }: { readonly hashPool?: HashPool } = {},
) => {
  const clock = virtualClock(START);
  const masterKey = newMasterKey();
  const folder = mkdtempSync(join(tmpdir(), 'beckon-auth-'));
  const database: TestDatabase = await openTestDatabase({ url: `sqlite:${join(folder, 'beckon.db')}` });
  const hashes = quickHashes();
  const statements: string[] = [];
  const opened: Beckon[] = [];
  const start = async (options: Partial<BeckonOptions> = {}): Promise<Beckon> => {
    const beckon = await createBeckon(
      { db: database.url, masterKey, clock, publicUrl: 'https://beckon.test', ...more, ...options },
      { observer: { statement: (id) => void statements.push(id) }, hashPool: hashPool ?? hashes },
    );
    opened.push(beckon);
    return beckon;
  };
  const beckon = await start();
  const { auth, users, worker, outbox } = beckon;
  const org = await beckon.tenancy.createOrg({ name: 'Acme' });

  /** A project of its own. */
  const project = async (environment: Environment = 'test', orgId = org.id): Promise<Scope> => {
    const { id } = await beckon.tenancy.createProject({ orgId, name: 'App' });
    return environmentOf({ orgId, projectId: id }, environment);
  };
  const environmentOf = async (
    { orgId, projectId }: Pick<Scope, 'orgId' | 'projectId'>,
    environment: Environment,
  ): Promise<Scope> => {
    const scope = await beckon.tenancy.scope({ orgId, projectId, environment });
    await auth.updateSettings(scope, { redirectUris: [PAGE] });
    return scope;
  };
  const scope = await project();

  /** Emails that the sandbox caught, oldest first. */
  const emails = async (of: Scope = scope): Promise<readonly Caught[]> => {
    await worker.drain();
    const { data } = await outbox.list(of, { limit: 200 });
    return data.toReversed().map(({ address, content }) => {
      // Safe: only emails are sent here.
      const { subject, text } = content as { subject: string; text: string };
      return { to: address, subject, text, ...secretsOf(text) };
    });
  };
  const counts = new Map<string, number>();
  /** The newest email. Several with a link or code since the last call are an error: they arrive in any order. */
  const lastEmail = async (of: Scope = scope): Promise<Caught> => {
    const all = await emails(of);
    const key = `${of.projectId} ${of.environment}`;
    const fresh = all.slice(counts.get(key) ?? 0);
    counts.set(key, all.length);
    const withSecret = fresh.filter(({ token, code }) => token !== '' || code !== '');
    if (withSecret.length > 1) throw new Error('several emails were sent: read them one at a time');
    const last = withSecret.at(-1) ?? all.at(-1);
    if (!last) throw new Error('no email was sent');
    return last;
  };
  /** A verified user with a password. */
  const register = async (of: Scope = scope, email = EMAIL, password = PASSWORD): Promise<void> => {
    await auth.signUp(of, { email, password });
    const { token } = await lastEmail(of);
    expect(await auth.verifyEmail(of, { token, password })).toEqual({ verified: true, passwordKept: true });
  };
  const signIn = (of: Scope = scope, email = EMAIL, password = PASSWORD): Promise<TokenSet> =>
    tokensOf(auth.signIn(of, { email, password }, { ip: '203.0.113.9', userAgent: 'browser' }));

  return {
    ...{ beckon, auth, users, clock, database, masterKey, hashes, statements, org, scope, start },
    ...{ project, environmentOf, emails, lastEmail, register, signIn },
    /** The same environment, as another process knows it. */
    scopeIn: ({ tenancy }: Beckon, { orgId, projectId, environment }: Scope = scope): Promise<Scope> =>
      tenancy.scope({ orgId, projectId, environment }),
    /** What a call does: its answer or its error without the request id, its statements and its hashes. */
    workOf: async (call: () => Promise<unknown>) => {
      const before = { ...hashes.calls };
      statements.length = 0;
      const answer = await call().catch((error: unknown) => {
        // Safe: the functions of sign-in throw errors of this form.
        const { code, message, details } = error as { code: string; message: string; details: unknown };
        return { code, message, details };
      });
      return {
        answer,
        statements: [...statements],
        hashes: { hash: hashes.calls.hash - before.hash, verify: hashes.calls.verify - before.verify },
      };
    },
    /** Names of the events of a user, oldest first. */
    eventsOf: async (userId: string, of: Scope = scope): Promise<readonly string[]> => {
      const { data } = await beckon.profiles.events(of, userId, { limit: 200 });
      return data.map(({ eventType }) => eventType).toReversed();
    },
    close: async (): Promise<void> => {
      for (const one of opened) await one.close();
      await database.close();
      rmSync(folder, { recursive: true });
    },
  };
};

/** The reason of a refusal, as clients read it. */
export const refused = (reason: string): object => ({ details: expect.objectContaining({ reason }) });
