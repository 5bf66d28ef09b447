import { type Beckon, type BodyName, createBeckon, newMasterKey, type Scope, virtualClock } from '@beckon/core';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFailed } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../core/test/support/database.ts';
import {
  type MisbehavingProvider,
  misbehavingProvider,
} from '../../../core/test/support/identity/misbehaving-provider.ts';
import { isWhole, testSeed } from '../../../core/test/support/test-seed.ts';
import { conflicts } from '../../test/support/openapi/conflicts.ts';
import { bodyNameOf, isCallback, needed, plain } from '../../test/support/openapi/documented.ts';
import { bodyOf, operationIds } from '../../test/support/openapi/operation-ids.ts';
import { exampleOf, keepExamples } from '../../test/support/openapi/recorded.ts';
import { isOfUser, needsUrl, type SignIn, signInWorld } from '../../test/support/openapi/sign-in.ts';
import { socialOptions } from '../../test/support/openapi/social.ts';
import { type Documented, makeValidator } from '../../test/support/openapi/validator.ts';
import { variantsOf } from '../../test/support/openapi/variants.ts';
import { createHandler, type Handler } from '../index.ts';
import answerExamples from './answer-examples.json' with { type: 'json' };

const USER = 'user-42';
const NOBODY = '01890000-0000-7000-8000-000000000000';
/** Some parameters take some of these values, and none takes all. */
const VALUES = ['1', 'true', '2026-03-01', 'running', 'queued', 'email', 'push', 'sms', 'no such thing', '', '\u0000'];
const OF_NAME_ALONE = /\/(send|send-to-audience|events\/batch|bulk-import|auth-service\/settings)$/;
/** One of this many calls is made, another one for each seed, unless `BECKON_TEST_WHOLE` is 1. */
const SAMPLE = 3;
/** The same for a body that another operation takes too: both use one schema. */
const SAMPLE_OF_KNOWN = 15;
const isPostgres = inject('engine') === 'postgres';
const seed = testSeed();
const clock = virtualClock('2026-03-01T12:00:00.000Z');
const validator = makeValidator();
const isRead = (body: unknown): body is Record<string, unknown> => typeof body === 'object' && body !== null;

describe('every documented operation', () => {
  let database: TestDatabase;
  let beckon: Beckon;
  let handler: Handler;
  let scope: Scope;
  let key: string;
  /** What an operation does its work on, made anew where it ends with it. */
  let auth: SignIn;
  let idp: MisbehavingProvider;
  let ids: Awaited<ReturnType<typeof operationIds>>;

  beforeAll(async () => {
    database = await openTestDatabase();
    idp = await misbehavingProvider(clock.now);
    beckon = await createBeckon({
      ...socialOptions(idp),
      // The test makes more calls than one client may.
      limits: { callsPerMinute: 1_000_000 },
      db: database.url,
      masterKey: newMasterKey(),
      clock,
      publicUrl: 'https://links.example',
      // No DNS server listens at this address.
      email: { dnsServers: ['127.0.0.1:1'] },
    });
    // Attempts to sign in are counted by the address of the client: each call comes from another one.
    handler = createHandler(beckon, { clock, trustedProxies: 1 });
    const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Acme' });
    const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
    scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'test' });
    const grants = [{ orgId, projectId }];
    key = (await beckon.tenancy.createKey({ kind: 'secret', environment: 'test', grants })).secret;

    auth = signInWorld(beckon, scope, idp);
    await auth.prepareAll();
    ids = { ...(await operationIds(beckon, scope)), ...auth.ids() };
  });
  afterAll(async () => {
    await beckon.close();
    await database.close();
    await idp.close();
  });

  const pathFor = async ({ method, path }: Documented, id?: string): Promise<string> => {
    const inOrg = path.replace('{orgId}', scope.orgId);
    if (!inOrg.includes('{')) return inOrg;
    const name = `${method} ${plain(path)}`;
    const make = ids[name];
    if (!make) throw new Error(`name what ${name} is called with`);
    // Of two the second is a user's.
    return inOrg
      .replace(/\{\w+\}/, encodeURIComponent(id ?? (await make())))
      .replace('{userId}', USER)
      .replace('{environment}', 'test');
  };
  const bodyFor = async (name: BodyName): Promise<unknown> => (await auth.bodyOf(name)) ?? bodyOf(beckon, scope, name);
  const withGrant = async (projectId: string, environment: 'prod' | 'test') => {
    const grants = [{ orgId: scope.orgId, projectId }];
    return (await beckon.tenancy.createKey({ kind: 'secret', environment, grants })).secret;
  };
  /** What a request has besides the key: an access token of a user, and a project whose signing key is not rotating. */
  const headersFor = async (method: string, path: string): Promise<Record<string, string>> => {
    await auth.prepare(method, path);
    if (isOfUser(path)) return { authorization: `Bearer ${(await auth.session()).tokens.accessToken}` };
    if (!path.endsWith('/signing-keys/rotate')) return {};
    const { id } = await beckon.tenancy.createProject({ orgId: scope.orgId, name: 'Rotated' });
    return { 'x-api-key': await withGrant(id, 'test') };
  };
  let calls = 0;
  const address = (): Record<string, string> => {
    calls += 1;
    return { 'x-forwarded-for': `10.${(calls >> 16) & 255}.${(calls >> 8) & 255}.${calls & 255}` };
  };
  const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const send = async () => {
      const common = { 'x-api-key': key, 'content-type': 'application/json', ...address() };
      const own = { ...common, ...(await headersFor(method, path)), ...headers };
      const response = await handler.fetch(
        new Request(`http://127.0.0.1${path}`, {
          method,
          headers: own,
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }),
      );
      return { status: response.status, body: await response.text() };
    };
    let answer = await send();
    // An earlier call may have ended the session.
    if (isOfUser(path) && answer.body.includes('"reason":"session_expired"')) {
      await auth.signedIn();
      answer = await send();
    }
    // No webhook goes to another machine: a DNS look-up takes seconds where there is no network.
    if (method === 'POST' && path.endsWith('/webhooks') && answer.status < 300)
      await beckon.webhooks.update(scope, JSON.parse(answer.body).data.id, { isActive: false });
    return answer;
  };
  /**
   * A sample of many calls that differs from seed to seed. What a schema rejects does not depend on the database, so
   * PostgreSQL gets only the character that it alone cannot store.
   */
  const sampled = <One>(all: readonly One[], oneOf = SAMPLE): readonly One[] => {
    if (isWhole()) return all;
    const sent = isPostgres ? all.filter((one) => JSON.stringify(one).includes('\\u0000')) : all;
    return sent.filter((_, place) => place % oneOf === seed % oneOf);
  };
  const printSeed = (): void =>
    onTestFailed(() => console.error(`BECKON_TEST_SEED=${seed} makes the same calls, BECKON_TEST_WHOLE=1 all`));
  const expectDocumented = (one: Documented, { status, body }: { status: number; body: string }, says = ''): void => {
    const place = `${one.method} ${one.path} ${says}: ${status} ${body.slice(0, 500)}`;
    expect(status, place).toBeLessThan(500);
    expect(validator.answerProblem(one, status, body), place).toBe(null);
  };

  it('every operation answers its example as documented', async () => {
    const examples = new Map<string, { status: number; value: unknown }>();
    for (const one of validator.operations) {
      if (isCallback(one)) continue;
      const name = bodyNameOf(one);
      const body = name === undefined ? undefined : await bodyFor(name);
      if (name !== undefined) expect(validator.bodyProblem(name, body), name).toBe(null);
      const answer = await call(one.method, `${await pathFor(one)}${needed(one)}`, body);
      expect(answer.status, `${one.method} ${one.path}: ${answer.body}`).toBeLessThan(400);
      // A list without rows would prove nothing about its rows.
      expect(answer.body, one.path).not.toContain('"data":[]');
      expectDocumented(one, answer);
      const { operationId } = one.operation;
      if (validator.answersJson(one, answer.status) && !operationId.endsWith('InOrg'))
        examples.set(operationId, { status: answer.status, value: exampleOf(answer.body) });
      if (/\/send(?:-to-audience)?$/.test(one.path)) await beckon.worker.drain();
    }
    keepExamples(examples);
    // The document has an example response of every operation, whatever an operation answers now.
    expect([...examples.keys()].filter((id) => !Object.hasOwn(answerExamples, id))).toEqual([]);
  });

  it('a dry run answers as documented', async () => {
    for (const one of validator.operations.filter(({ path }) => /\/send(?:-to-audience)?$/.test(path))) {
      const name = bodyNameOf(one);
      if (name === undefined) throw new Error(`${one.path} takes nothing`);
      const body = Object.assign({}, await bodyFor(name), { dryRun: true, noSuchKey: 1 });
      const answer = await call(one.method, await pathFor(one), body);
      expect(answer.status).toBe(200);
      expectDocumented(one, answer);
    }
  });

  it('an operation accepts each documented query parameter, and rejects unknown ones and invalid values', async () => {
    printSeed();
    for (const one of validator.operations) {
      const parameters = one.operation.parameters.flatMap((parameter, index) =>
        parameter['in'] === 'query' ? [{ name: String(parameter['name']), index }] : [],
      );
      const name = bodyNameOf(one);
      const make = async () => ({ path: await pathFor(one), body: name && (await bodyFor(name)) });
      let made = await make();
      const send = async (query: string) => {
        const answer = await call(one.method, `${made.path}?${query}`, made.body);
        // A completed operation cannot be repeated with the same rows; a rejected one can.
        if (one.method !== 'GET' && answer.status < 400) made = await make();
        return answer;
      };
      for (const { name: parameter, index } of parameters) {
        const sendValue = (value: string) => send(`${parameter}=${encodeURIComponent(value)}`);
        for (const value of isPostgres && !isWhole() ? ['\u0000'] : sampled(VALUES)) {
          const answer = await sendValue(value);
          const says = `?${parameter}=${value}`;
          expectDocumented(one, answer, says);
          if (validator.parameterProblem(one, index, value) !== null) expect(answer.status, says).toBe(400);
          expect(answer.body, says).not.toContain('unknown query parameter');
        }
        const twice = await send(`${parameter}=1&${parameter}=1`);
        expectDocumented(one, twice);
        expect(twice.status).toBe(400);
      }
      // Only an operation that declares a query notices an unknown parameter.
      const stranger = await send('noSuchParameter=1');
      expectDocumented(one, stranger);
      if (!isCallback(one)) expect(stranger.status === 400, `${one.method} ${one.path}`).toBe(parameters.length > 0);
    }
  });

  it('an operation rejects undocumented bodies, and answers all others as documented', async () => {
    const resolve = (ref: string) => validator.document.components.schemas[ref.split('/').at(-1) ?? ''] ?? {};
    printSeed();
    const known = new Set<string>();
    let [sent, refused] = [0, 0];
    for (const one of validator.operations.filter(({ path }) => !path.includes('{orgId}'))) {
      const name = bodyNameOf(one);
      if (name === undefined) continue;
      const path = await pathFor(one);
      const good = await bodyFor(name);
      const all = variantsOf(resolve(name), good, resolve);
      const variants = sampled(all, known.has(name) ? SAMPLE_OF_KNOWN : SAMPLE);
      known.add(name);
      sent += variants.length;
      for (const { says, body } of variants) {
        const answer = await call(one.method, path, body);
        expectDocumented(one, answer, says);
        if (validator.bodyProblem(name, body) === null) continue;
        refused += 1;
        // A batch is accepted in part.
        const isRefused = answer.status >= 400 || /"code":"VALIDATION_ERROR"|"status":"failed"/.test(answer.body);
        expect(isRefused, `${one.method} ${one.path}: ${says}: ${answer.body}`).toBe(true);
      }
    }
    expect(sent).toBeGreaterThan(isPostgres ? 200 : 3_000);
    expect(refused).toBeGreaterThan(sent / 2);
  });

  it('a missing key, a missing scope and unknown ids are answered as documented', async () => {
    const { orgId, projectId } = scope;
    const grants = [{ orgId, projectId }];
    const { secret } = await beckon.tenancy.createKey({
      kind: 'secret',
      environment: 'test',
      grants,
      scopes: ['auth:read'],
    });
    const { secret: reader } = await beckon.tenancy.createKey({
      ...{ kind: 'secret', environment: 'test', grants, scopes: ['keys:read'] },
    });
    // What is refused before anything is read does not depend on the database; what an id may be does.
    const asksAll = !isPostgres || isWhole();
    for (const one of validator.operations) {
      const name = bodyNameOf(one);
      const body = name === undefined ? undefined : await bodyFor(name);
      const isKeyed = one.operation['x-scope'] !== undefined;
      const path = await pathFor(one);
      for (const [headers, status] of [
        [{ 'x-api-key': 'sk_test_nobody' }, 401],
        [{ 'x-api-key': one.operation['x-scope'] === 'auth:read' ? reader : secret }, 403],
      ] as const) {
        if (!isKeyed || !asksAll) continue;
        const answer = await call(one.method, path, body, headers);
        expect(answer.status, one.path).toBe(status);
        expectDocumented(one, answer);
      }
      for (const id of [NOBODY, 'no such id', '\u0000', '%'])
        if (plain(one.path).includes('{'))
          expectDocumented(one, await call(one.method, await pathFor(one, id), body), id);
      if (one.operation.parameters.some(({ $ref }) => $ref === '#/components/parameters/projectId')) {
        const foreign = await call(one.method, `${path}?projectId=${NOBODY}`, body);
        expectDocumented(one, foreign);
        expect(foreign.status, one.path).toBe(404);
      }
      if (body === undefined || !asksAll) continue;
      for (const [type, text] of [
        ['text/html', '{}'],
        ['application/json', '{'],
        ['application/json', ''],
        ['application/json', ' '.repeat(2_000_000)],
      ] as const) {
        const headers = { 'x-api-key': key, 'content-type': type, ...address() };
        const response = await handler.fetch(
          new Request(`http://127.0.0.1${path}`, { method: one.method, headers, body: text }),
        );
        expect(response.status).toBeGreaterThanOrEqual(400);
        expectDocumented(one, { status: response.status, body: await response.text() });
      }
    }
  });

  it('an operation requires its documented plan feature, after validating its input', async () => {
    const { orgId } = scope;
    const planOf = (gate: string) =>
      beckon.plans.list().data.find(({ gates }) => gates.some((one) => one === gate))?.name ?? '';
    const calls: { one: Documented; path: string; body: unknown; gate: string }[] = [];
    const audience = await beckon.audiences.create(scope, { name: 'Of a plan' });
    for (const one of validator.operations) {
      const plan: unknown = one.operation['x-plan'];
      if (plan === undefined) continue;
      const name = bodyNameOf(one);
      if (typeof plan === 'string')
        calls.push({
          one,
          path: `${await pathFor(one)}${needed(one)}`,
          body: name && (await bodyFor(name)),
          gate: plan,
        });
      const [, channel, last] = plain(one.path).split('/');
      if (!isRead(plan) || (channel !== 'push' && channel !== 'email' && channel !== 'sms')) continue;
      const says = { push: { title: 't' }, email: { subject: 's', text: 't' }, sms: { body: 't' } }[channel];
      const to = last === 'send' ? { userIds: [USER] } : { audienceId: audience.id };
      const fields: Record<string, unknown> = {
        audienceId: audience.id,
        scheduledFor: '2026-03-01T13:00:00.000Z',
        abTestId: await ids[`GET /${channel}/ab-tests/{id}`]?.(),
        templateId: await ids[`GET /${channel}/templates/{id}`]?.(),
      };
      for (const [field, gate] of Object.entries(plan)) {
        const own = field === 'audienceId' ? { audienceId: audience.id } : { ...to, [field]: fields[field] };
        calls.push({ one, path: await pathFor(one), body: { ...says, ...own }, gate: String(gate) });
      }
    }
    expect(calls.length).toBeGreaterThan(100);
    const isSegmentSend = /-to-audience$/;
    for (const { one, path, body, gate } of calls) {
      const place = `${one.method} ${one.path} ${JSON.stringify(body)}`;
      const requiredPlan = isSegmentSend.test(one.path) ? planOf('audienceSends') : planOf(gate);
      await beckon.plans.set(orgId, 'free');
      const refused = await call(one.method, path, body);
      expect([refused.status, refused.body], place).toEqual([402, expect.stringContaining('"code":"tier_required"')]);
      expect(refused.body, place).toContain(`"requiredPlan":"${requiredPlan}"`);
      expectDocumented(one, refused);
      if (body !== undefined) expect((await call(one.method, path, [1])).status, place).toBe(400);
      await beckon.plans.set(orgId, requiredPlan);
      const passed = await call(one.method, path, body);
      expect(passed.status, `${place}: ${passed.body}`).toBeLessThan(400);
    }
    await beckon.plans.set(orgId, 'unlimited');
  });

  it('every error code that an operation lists itself can occur', async () => {
    const { orgId, projectId } = scope;
    const grants = [{ orgId, projectId }];
    const inProd = await beckon.tenancy.scope({ orgId, projectId, environment: 'prod' });
    const { secret: prod } = await beckon.tenancy.createKey({ kind: 'secret', environment: 'prod', grants });
    const prodAuth = signInWorld(beckon, inProd, idp);
    await prodAuth.resetSettings();
    const conflictOf = conflicts({ beckon, scope, auth, ids, key, pathFor, plain, bodyNameOf, bodyFor, call });
    const now = new Set<string>();
    for (const one of validator.operations) {
      const { operation, method } = one;
      const expectCode = (code: string, answer: { status: number; body: string }): void => {
        expect(answer.body, `${method} ${one.path}`).toContain(`"code":"${code}"`);
        expectDocumented(one, answer);
        now.add(code);
      };
      const codes: readonly string[] = operation['x-error-codes'];
      if (codes.includes('INVALID_RANGE')) {
        const range = { from: '2026-03-02', to: '2026-03-01' };
        const name = bodyNameOf(one);
        const path = await pathFor(one);
        const answer = await (name
          ? call(method, path, Object.assign({}, await bodyFor(name), range))
          : call(method, `${path}?${new URLSearchParams(range).toString()}`));
        expectCode('INVALID_RANGE', answer);
      }
      // Without publicUrl alone; routes/auth.db.test.ts.
      if (codes.includes('PROVIDER_NOT_CONFIGURED') && !needsUrl(one.path)) {
        const name = bodyNameOf(one);
        const body =
          name &&
          ((await auth.bodyOf(name)) ?? (await bodyOf(beckon, name.endsWith('AudienceInput') ? inProd : scope, name)));
        if (one.path.endsWith('/anonymous/upgrade')) await prodAuth.guest();
        const headers = {
          'x-api-key': prod,
          ...(isOfUser(one.path) && { authorization: `Bearer ${(await prodAuth.session()).tokens.accessToken}` }),
        };
        const path = await pathFor(one, one.path.includes('/auth-service/') ? (await prodAuth.user()).id : undefined);
        const answer = await call(method, path, body, headers);
        expectCode('PROVIDER_NOT_CONFIGURED', answer);
      }
      // Only while the first request with the same key, or another change of the same settings, is still running.
      const isOfNameAlone = OF_NAME_ALONE.test(one.path);
      if (codes.includes('CONFLICT') && !isOfNameAlone) {
        const [path, body, headers] = await conflictOf(one);
        expectCode('CONFLICT', await call(method, path, body, headers));
      }
    }
    expect([...now].sort()).toEqual(['CONFLICT', 'INVALID_RANGE', 'PROVIDER_NOT_CONFIGURED']);
  });
});
