import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Beckon, type Scope, virtualClock } from '@beckon/core';
import { eq } from 'drizzle-orm';
import { expect } from 'vitest';
import { createBeckon } from '../../../core/src/app/create.ts';
import { newMasterKey } from '../../../core/src/foundation/secrets.ts';
import { openTestDatabase } from '../../../core/test/support/database.ts';
import { quickHashes } from '../../../core/test/support/identity/quick-hashes.ts';
import { createHandler } from '../../src/index.ts';

export const BASE = 'https://auth.example/api/v1/auth-service/scim/v2';
/** The only domain that the environments of these tests have proven to own. */
export const DOMAIN = 'acme.example';

/** JSON of a response; tests read members that they check. */
export type Json = {
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any member of a document of the protocol
  readonly [name: string]: any;
};
export type ScimAnswer = { readonly status: number; readonly headers: Headers; readonly body: Json };
type Sent = {
  readonly body?: unknown;
  /** False: the clock does not move, so that the rate limit of the token is reached. */
  readonly isPaced?: boolean;
  readonly token?: string | null;
  readonly headers?: Record<string, string>;
};

export type ScimWorld = Awaited<ReturnType<typeof openScim>>;

/** A service over an empty database with one directory, and a client of its token. */
export const openScim = async () => {
  const clock = virtualClock('2026-03-01T10:00:00.000Z');
  // A file, because in memory SQLite would give the service its own database.
  const folder = mkdtempSync(join(tmpdir(), 'beckon-scim-'));
  const database = await openTestDatabase({ url: `sqlite:${join(folder, 'scim.db')}` });
  const beckon: Beckon = await createBeckon(
    { db: database.url, masterKey: newMasterKey(), clock, publicUrl: 'https://auth.example' },
    { hashPool: quickHashes() },
  );
  const handler = createHandler(beckon, { clock });
  const org = await beckon.tenancy.createOrg({ name: 'Acme' });
  const newScope = async (orgId = org.id, environment: 'test' | 'prod' = 'test'): Promise<Scope> => {
    const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
    return beckon.tenancy.scope({ orgId, projectId, environment });
  };
  const scope = await newScope();
  const connection = await beckon.auth.createSsoConnection(scope, {
    ...{ name: 'Acme', oidc: { issuer: 'https://acme.example', clientId: 'client', clientSecret: 'secret' } },
  });
  const { id: domainId } = await beckon.auth.createSsoDomain(scope, { connectionId: connection.id, domain: DOMAIN });
  const domains = database.tables.authSsoDomains;
  // As if its record had been found.
  await database.storage.db.update(domains).set({ verifiedAt: clock.now() }).where(eq(domains.id, domainId));

  /** A directory with a token. */
  const newDirectory = async (of: Scope = scope) => {
    const connectionId = of === scope ? connection.id : null;
    const { id: directoryId } = await beckon.auth.createScimDirectory(of, { name: 'Acme', connectionId });
    return beckon.auth.createScimToken(of, { directoryId });
  };
  const { directoryId, token: ownToken } = await newDirectory();

  const send = async (
    method: string,
    path: string,
    { body, token = ownToken, headers = {}, isPaced = true }: Sent = {},
  ): Promise<ScimAnswer> => {
    if (isPaced) clock.advance(300);
    const isText = typeof body === 'string';
    const response = await handler.fetch(
      new Request(`${BASE}${path}`, {
        method,
        headers: {
          ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'Content-Type': 'application/scim+json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
      }),
    );
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
  };
  const created = async (path: string, body: unknown): Promise<Json & { readonly id: string }> => {
    const answer = await send('POST', path, { body });
    expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 201 });
    // Safe: a created resource has an id.
    return answer.body as Json & { id: string };
  };
  return {
    ...{ beckon, clock, database, handler, org, scope, newScope, directoryId, ownToken, newDirectory, send },
    get: (path: string, sent?: Sent) => send('GET', path, sent),
    post: (path: string, body: unknown, sent?: Sent) => send('POST', path, { ...sent, body }),
    put: (path: string, body: unknown, sent?: Sent) => send('PUT', path, { ...sent, body }),
    patch: (path: string, operations: readonly unknown[], sent?: Sent) =>
      send('PATCH', path, {
        ...sent,
        body: { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: operations },
      }),
    delete: (path: string, sent?: Sent) => send('DELETE', path, sent),
    newUser: (userName: string, more: Json = {}) => created('/Users', { ...userOf(userName), ...more }),
    newGroup: (displayName: string, members: readonly string[] = []) =>
      created('/Groups', { displayName, members: members.map((value) => ({ value })) }),
    close: async (): Promise<void> => {
      await beckon.close();
      await database.close();
      rmSync(folder, { recursive: true });
    },
  };
};

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

/** The least that identity providers send of a user. */
export const userOf = (userName: string): Json => ({
  schemas: [USER_SCHEMA],
  userName,
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  emails: [{ value: userName, type: 'work', primary: true }],
  active: true,
});

/** An error of the protocol. */
export const scimError = (status: number, scimType?: string): object => ({
  status,
  body: {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(status),
    ...(scimType === undefined ? {} : { scimType }),
    detail: expect.any(String),
  },
});
