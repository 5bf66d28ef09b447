import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { type AiStandIn, startAi } from '../../../test/support/transports/ai-stand-in.ts';
import type { Beckon } from '../../app/api.ts';
import { createBeckon } from '../../app/create.ts';
import type { BeckonOptions } from '../../app/options.ts';
import { virtualClock } from '../../foundation/clock.ts';
import type { Scope } from '../../foundation/scope.ts';
import { newMasterKey } from '../../foundation/secrets.ts';
import type { AiOptions } from './api.ts';
import { TOKENS_PER_DAY } from './usage.ts';

const KEY = 'sk-canary-of-the-key';
const GENERATE = {
  flavor: 'generate',
  prompt: 'Greet {{trait.name | default: "there"}}.',
  saveAs: 'greeting',
} as const;
const DECIDE = {
  flavor: 'decide',
  prompt: 'Is {{event.text}} angry?',
  options: [{ name: 'angry' }, { name: 'calm', description: 'Anything else' }],
  saveAs: 'mood',
} as const;
const LOOPBACK = { allowCidrs: ['127.0.0.0/8'] };
const AFTER = { type: 'update_profile', config: { set: { done: true } } } as const;

describe('ai_action', () => {
  let database: TestDatabase;
  let folder: string;
  let beckon: Beckon;
  let ai: AiStandIn;
  let scope: Scope;
  let orgId: string;
  let clock: ReturnType<typeof virtualClock>;
  let logged: string[];

  const open = async (options: AiOptions = {}, outbound: BeckonOptions['outbound'] = LOOPBACK): Promise<void> => {
    const log = (fields: object, message: string) => void logged.push(JSON.stringify(fields) + message);
    beckon = await createBeckon({
      db: database.url,
      masterKey: newMasterKey(),
      clock,
      log: { info: log, warn: log, error: log },
      ai: { models: { generate: 'ok', decide: 'ok', extract: 'ok' }, ...options },
      outbound,
    });
    orgId = (await beckon.tenancy.createOrg({ name: 'Acme' })).id;
    const project = await beckon.tenancy.createProject({ orgId, name: 'App' });
    scope = await beckon.tenancy.scope({ orgId, projectId: project.id, environment: 'prod' });
  };
  const ownKey = (more: object = {}) => beckon.ai.update(orgId, { baseUrl: ai.openai, key: KEY, ...more });
  const shared = () => ({ shared: { baseUrl: ai.openai, key: KEY } });

  beforeEach(async () => {
    logged = [];
    clock = virtualClock('2026-03-01T10:00:00.000Z');
    ai = await startAi();
    // A file: in-memory SQLite has one connection only, and the service opens its own.
    folder = await mkdtemp(join(tmpdir(), 'beckon-ai-'));
    database = await openTestDatabase({ url: `sqlite:${join(folder, 'test.db')}`, clock });
  });
  afterEach(async () => {
    await ai.stop();
    await beckon.close();
    await database.close();
    await rm(folder, { recursive: true, force: true });
  });

  let made = 0;
  const start = async (config: object, { within = scope, properties = {} as object } = {}): Promise<string> => {
    made += 1;
    const eventType = `asked ${made}`;
    await beckon.workflows.create(within, {
      name: eventType,
      description: null,
      isActive: true,
      trigger: { eventType },
      // Safe: tests write configs that the schema validates.
      steps: [{ type: 'ai_action', config: config as typeof GENERATE }, AFTER],
    });
    const userId = `user ${made}`;
    await beckon.events.identify(within, { userId, traits: { name: 'Ann' } });
    await beckon.events.track(within, { module: 'm', eventType, userId, properties: { ...properties } });
    return userId;
  };
  const runOf = async (userId: string, within = scope) => {
    const [run] = (await beckon.runs.list(within, { userId })).data;
    return beckon.runs.get(within, run?.id ?? '');
  };
  const ran = async (config: object, more?: Parameters<typeof start>[1]) => {
    const userId = await start(config, more);
    await beckon.worker.drain();
    return runOf(userId, more?.within);
  };

  it("an ai_action saves the model's text, with tokens and cost on the step, and the run continues", async () => {
    await open();
    await ownKey({ models: { generate: 'large' }, prices: { large: { input: 1_000, output: 2_000 } } });
    ai.say('Hello Ann');
    const run = await ran(GENERATE);
    expect(run).toMatchObject({ status: 'completed', outcome: 'ok', context: { greeting: { text: 'Hello Ann' } } });
    expect(run.steps.map(({ outcome }) => outcome)).toEqual(['ok', 'ok']);
    expect(run.steps[0]).toMatchObject({
      output: { text: 'Hello Ann' },
      usage: { model: 'large', keySource: 'organization', calls: 1, inputTokens: 12, outputTokens: 5, cost: 0.022 },
    });
    const [asked] = ai.requests;
    expect(asked?.headers.authorization).toBe(`Bearer ${KEY}`);
    const messages = asked?.body['messages'];
    expect(messages).toMatchObject([{ role: 'system' }, { role: 'user', content: '{"trait.name":"Ann"}' }]);
    expect(JSON.stringify(messages)).toContain('Greet {{trait.name}}.');
  });

  it('decide saves one of its options, and extract saves values that fit its schema', async () => {
    await open();
    await ownKey({ wire: 'anthropic', baseUrl: ai.anthropic });
    ai.say('{"choice":"angry"}');
    expect((await ran(DECIDE, { properties: { text: 'No!' } })).context).toEqual({ mood: { choice: 'angry' } });
    ai.say('{"city":"Ghent","people":null}');
    const schema = { properties: { city: { type: 'string' }, people: { type: 'integer' } }, required: ['city'] };
    const extract = { flavor: 'extract', prompt: 'Where to?', schema, saveAs: 'trip' };
    expect((await ran(extract)).context).toEqual({ trip: { city: 'Ghent' } });
  });

  it('an invalid answer causes a second call with the problem, then the run continues without an answer; both calls count', async () => {
    await open(shared());
    ai.say('maybe', '{"choice":"calm"}');
    expect((await ran(DECIDE)).steps[0]).toMatchObject({
      outcome: 'ok',
      output: { choice: 'calm' },
      usage: { keySource: 'shared', calls: 2, inputTokens: 24, outputTokens: 10, cost: null },
    });
    expect(JSON.stringify(ai.requests[1]?.body)).toContain('This answer cannot be used');
    ai.say('maybe');
    const run = await ran({ ...DECIDE, fallback: true });
    expect(run).toMatchObject({ outcome: 'ok', context: { mood: { choice: 'fallback' } } });
    expect(run.steps[0]).toMatchObject({ outcome: 'ai_unavailable', reason: 'invalid_answer', usage: { calls: 2 } });
    expect((await beckon.ai.get(orgId)).sharedTokens.today).toBe(4 * 17);
  });

  it('without a key the run continues without an answer and no provider is called', async () => {
    await open();
    const run = await ran(GENERATE);
    expect(run).toMatchObject({ status: 'completed', outcome: 'ok', context: {} });
    expect(run.steps[0]).toMatchObject({ outcome: 'ai_unavailable', reason: 'no_key', usage: null });
    expect(run.steps[1]).toMatchObject({ outcome: 'ok' });
    expect(ai.requests).toEqual([]);
  });

  it('the shared provider serves only orgs whose plan includes it; an own provider serves all', async () => {
    await open(shared());
    await beckon.plans.set(orgId, 'starter');
    expect((await ran(GENERATE)).steps[0]).toMatchObject({ outcome: 'ai_unavailable', reason: 'no_key' });
    expect(ai.requests).toEqual([]);
    await beckon.plans.set(orgId, 'growth');
    expect((await ran(GENERATE)).steps[0]).toMatchObject({ outcome: 'ok', usage: { keySource: 'shared' } });
    await beckon.plans.set(orgId, 'free');
    await ownKey();
    expect((await ran(GENERATE)).steps[0]).toMatchObject({ outcome: 'ok', usage: { keySource: 'organization' } });
  });

  it('the shared provider is not called beyond 100,000 tokens a day; an own provider is', async () => {
    await open(shared());
    const { storage, tables } = database;
    await storage.db.insert(tables.aiUsage).values({ orgId, day: '2026-03-01', tokens: TOKENS_PER_DAY - 1 });
    expect((await ran(GENERATE)).steps[0]).toMatchObject({ outcome: 'ok' });
    expect((await ran(GENERATE)).steps[0]).toMatchObject({ outcome: 'ai_unavailable', reason: 'over_quota' });
    expect(ai.requests).toHaveLength(1);
    clock.set(new Date('2026-03-02T00:00:00.000Z'));
    expect((await ran(GENERATE)).steps[0]).toMatchObject({ outcome: 'ok' });
    await ownKey();
    await storage.db.update(tables.aiUsage).set({ tokens: TOKENS_PER_DAY });
    expect((await ran(GENERATE)).steps[0]).toMatchObject({ outcome: 'ok', usage: { keySource: 'organization' } });
  });

  it('a rejected key is marked, and the mark is removed when the key is accepted', async () => {
    await open();
    await ownKey();
    ai.replyNext({ status: 401 });
    expect((await ran(GENERATE)).steps[0]).toMatchObject({ outcome: 'ai_unavailable', reason: 'key_refused' });
    expect(await beckon.ai.get(orgId)).toMatchObject({ keyRejectedAt: clock.now(), keyErrorCode: 'http_401' });
    await ran(GENERATE);
    expect(await beckon.ai.get(orgId)).toMatchObject({ keyRejectedAt: null, keyErrorCode: null });
  });

  it('a failed call is retried after 2 s and 10 s, or when the provider says so, and then ends without an answer', async () => {
    await open();
    await ownKey();
    ai.replyNext({ status: 500 }, { status: 429, headers: { 'retry-after': '60' } }, { status: 503 });
    const userId = await start(GENERATE);
    await beckon.worker.drain();
    const calls = async (ms: number): Promise<number> => {
      clock.advance(ms);
      await beckon.worker.drain();
      return ai.requests.length;
    };
    expect(await calls(1_999)).toBe(1);
    expect(await calls(1)).toBe(2);
    expect(await calls(59_999)).toBe(2);
    expect((await runOf(userId)).status).toBe('waiting');
    expect(await calls(1)).toBe(3);
    const run = await runOf(userId);
    expect(run).toMatchObject({ status: 'completed', outcome: 'ok' });
    expect(run.steps[0]).toMatchObject({ outcome: 'ai_unavailable', reason: 'provider_unavailable' });
  });

  it('hanging calls delay no other run and no other org', async () => {
    await open();
    await ownKey({ models: { generate: 'hang' } });
    const hanging = await Promise.all(Array.from({ length: 12 }, () => start(GENERATE)));
    const drained = beckon.worker.drain();
    while (ai.open() < 8) await new Promise((resolve) => setTimeout(resolve, 5));
    const other = await beckon.tenancy.createOrg({ name: 'Other' });
    const project = await beckon.tenancy.createProject({ orgId: other.id, name: 'App' });
    const theirs = await beckon.tenancy.scope({ orgId: other.id, projectId: project.id, environment: 'prod' });
    await beckon.ai.update(other.id, { baseUrl: ai.openai, key: 'other-key', models: { generate: 'ok' } });
    const run = await ran(GENERATE, { within: theirs });
    expect(run.status).toBe('completed');
    expect(ai.open()).toBe(8);
    ai.release();
    await drained;
    clock.advance(2_000);
    const rest = beckon.worker.drain();
    while (ai.open() < 4) await new Promise((resolve) => setTimeout(resolve, 5));
    ai.release();
    await rest;
    for (const userId of hanging) expect((await runOf(userId)).steps[0]).toMatchObject({ outcome: 'ok' });
  });

  it('a cancelled run gets no result and no further call', async () => {
    await open();
    await ownKey();
    ai.replyNext({ status: 500 });
    const userId = await start(GENERATE);
    await beckon.worker.drain();
    await beckon.runs.cancel(scope, (await runOf(userId)).id);
    clock.advance(10_000);
    await beckon.worker.drain();
    expect(ai.requests).toHaveLength(1);
    expect(await runOf(userId)).toMatchObject({ status: 'cancelled', context: {} });
    expect(await database.storage.db.select().from(database.tables.aiCalls)).toEqual([]);
  });

  it('in test no provider is called and the answer has the same shape', async () => {
    await open(shared());
    const test = await beckon.tenancy.scope({ orgId, projectId: scope.projectId, environment: 'test' });
    const run = await ran(DECIDE, { within: test });
    expect(run).toMatchObject({ outcome: 'ok', context: { mood: { choice: 'angry' } } });
    expect(run.steps[0]).toMatchObject({ outcome: 'ok', reason: 'sandbox' });
    expect(ai.requests).toEqual([]);
  });

  it('key, prompt and values are not in rows, states and logs', async () => {
    await open();
    const { lastFour } = await ownKey();
    expect(lastFour).toBe(KEY.slice(-4));
    ai.replyNext({ status: 401 }, { status: 400 });
    const canary = { properties: { text: 'canary-value' } };
    await ran({ ...DECIDE, prompt: 'canary-prompt {{event.text}}' }, canary);
    const { storage, tables } = database;
    const rows = [
      await storage.db.select().from(tables.aiSettings),
      await storage.db.select().from(tables.aiCalls),
      await storage.db.select().from(tables.runSteps),
      await beckon.ai.get(orgId),
      logged,
    ];
    expect(JSON.stringify(rows)).not.toMatch(/canary/);
    // Its answers are logged by code.
    expect(logged.filter((line) => line.endsWith('a provider of models did not answer a step'))).toEqual([
      expect.stringContaining('"code":"http_401"'),
    ]);
  });

  it('a base URL that webhooks may not use is rejected', async () => {
    await open({}, { webhooks: { httpsOnly: true } });
    for (const baseUrl of [
      'https://localhost/v1',
      'https://10.0.0.1',
      'https://[64:ff9b::a00:1]/v1',
      'http://a.example',
    ])
      await expect(ownKey({ baseUrl }), baseUrl).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        details: { fieldErrors: { baseUrl: [expect.any(String)] } },
      });
    expect(await beckon.ai.get(orgId)).toMatchObject({ configured: false });
    expect(await ownKey({ baseUrl: 'https://models.example/v1' })).toMatchObject({ configured: true });
  });

  it('a stored base URL that the rules reject since is not called', async () => {
    await open();
    await ownKey();
    await database.storage.db.update(database.tables.aiSettings).set({ baseUrl: 'http://127.0.0.1:22/v1' });
    const run = await ran(DECIDE);
    expect(run.steps[0]).toMatchObject({ outcome: 'ai_unavailable', reason: 'provider_failed' });
    expect(ai.requests).toEqual([]);
  });

  it('settings are replaced as a whole, for an existing org only', async () => {
    await open();
    await expect(beckon.ai.update(orgId, { baseUrl: 'ftp://x', key: null })).rejects.toMatchObject({
      details: { fieldErrors: { baseUrl: expect.any(Array) } },
    });
    await expect(beckon.ai.get('nobody')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await ownKey();
    const replaced = await beckon.ai.update(orgId, { wire: 'anthropic', key: null });
    expect(replaced).toMatchObject({ baseUrl: 'https://api.anthropic.com/v1', lastFour: null, configured: true });
    expect(await beckon.ai.delete(orgId)).toMatchObject({ configured: false, baseUrl: null });
  });
});
