import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { unchecked } from '../../test/support/unchecked.ts';
import { type Answer, openReceiver, type Received, type Receiver } from '../../test/support/webhooks/receiver.ts';
import type { Beckon } from '../app/api.ts';
import { createBeckon } from '../app/create.ts';
import type { BeckonOptions } from '../app/options.ts';
import { BUNDLE_VERSION } from '../automation/workflows/schema.ts';
import { virtualClock } from '../foundation/clock.ts';
import type { Scope } from '../foundation/scope.ts';
import { newMasterKey } from '../foundation/secrets.ts';

const MASTER_KEY = newMasterKey();
const AFTER = { type: 'update_profile', config: { set: { done: true } } } as const;

describe('webhook steps', () => {
  let database: TestDatabase;
  let folder: string;
  let beckon: Beckon;
  let receiver: Receiver;
  let scope: Scope;
  let clock: ReturnType<typeof virtualClock>;
  let answer: Answer;

  const open = async (options: Partial<BeckonOptions> = {}): Promise<void> => {
    beckon = await createBeckon({
      db: database.url,
      masterKey: MASTER_KEY,
      clock,
      outbound: { allowCidrs: ['127.0.0.0/8'] },
      ...options,
    });
    const org = await beckon.tenancy.createOrg({ name: 'Acme' });
    const project = await beckon.tenancy.createProject({ orgId: org.id, name: 'App' });
    scope = await beckon.tenancy.scope({ orgId: org.id, projectId: project.id, environment: 'prod' });
  };

  beforeEach(async () => {
    clock = virtualClock('2026-03-01T10:00:00.000Z');
    answer = { status: 200, body: '{"order":17}' };
    receiver = await openReceiver(() => answer);
    // A file: SQLite in memory is of one connection, and the service opens its own.
    folder = await mkdtemp(join(tmpdir(), 'beckon-webhook-step-'));
    database = await openTestDatabase({ url: `sqlite:${join(folder, 'test.db')}`, clock });
  });
  afterEach(async () => {
    await receiver.close();
    await beckon.close();
    await database.close();
    await rm(folder, { recursive: true, force: true });
  });

  let made = 0;
  const start = async (config: object, { within = scope, properties = {} as object } = {}): Promise<string> => {
    made += 1;
    const [eventType, userId] = [`asked ${made}`, `user ${made}`];
    await beckon.workflows.create(within, {
      name: eventType,
      description: null,
      isActive: true,
      trigger: { eventType },
      steps: unchecked([{ type: 'webhook', config: { url: receiver.url, ...config } }, AFTER]),
    });
    await beckon.events.identify(within, { userId, traits: { name: 'Ann & Bob', plan: 'pro' } });
    await beckon.events.track(within, { module: 'm', eventType, userId, properties: { ...properties } });
    await beckon.worker.drain();
    return userId;
  };
  const runOf = async (userId: string, within = scope) => {
    const [run] = (await beckon.runs.list(within, { userId })).data;
    return beckon.runs.get(within, run?.id ?? '');
  };

  it('a webhook step posts the event of the run, signed by the project, and stores the response', async () => {
    await open();
    const userId = await start({ saveAs: 'order' }, { properties: { total: 42 } });
    const run = await runOf(userId);
    expect(run).toMatchObject({
      status: 'completed',
      outcome: 'ok',
      context: { order: { status: 200, body: { order: 17 } } },
    });
    expect(run.steps[0]).toMatchObject({ outcome: 'ok', httpStatus: 200, output: { status: 200 } });
    const [{ body } = { body: '' }] = receiver.got;
    const { projectId, orgId } = scope;
    expect(JSON.parse(body)).toMatchObject({
      event: { id: run.triggerEventId, type: run.triggerEvent.eventType, orgId, projectId, environment: 'prod' },
      type: run.triggerEvent.eventType,
      data: { userId, total: 42 },
    });
    const { secret } = await beckon.secrets.rotateSigning(scope);
    await start({});
    // What was posted before is of the secret before; what is posted from now on is of both.
    const signature = ({ headers: said, body: text }: Received): string =>
      new Webhook(secret).sign(String(said['webhook-id']), clock.now(), text);
    const signaturesOf = (one: Received): string[] => String(one.headers['webhook-signature']).split(' ');
    const [first, second] = receiver.got;
    if (!first || !second) throw new Error('two were posted');
    expect(signaturesOf(first)).toHaveLength(1);
    expect(signaturesOf(first)).not.toContain(signature(first));
    expect(signaturesOf(second)).toHaveLength(2);
    expect(signaturesOf(second)[0]).toBe(signature(second));
    expect(second.headers['webhook-id']).not.toBe(first.headers['webhook-id']);
  });

  it('variables are replaced in path, query, headers and body, never in the host', async () => {
    await open();
    await beckon.secrets.set(scope, 'TOKEN', { value: 'canary-token' });
    const userId = await start(
      {
        url: `${receiver.url}/{{trait.name}}?q={{event.q}}&u={{user.userId}}#x`,
        headers: { Authorization: 'Bearer {{secret.TOKEN}}', 'X-Plan': '{{trait.plan}}-{{event.q}}' },
        body: { name: '{{trait.name}}', total: '{{event.total}}', note: 'a {{trait.plan}} plan', none: '{{event.no}}' },
        signing: false,
      },
      { properties: { q: '{{secret.TOKEN}}', total: 4.5 } },
    );
    expect((await runOf(userId)).steps[0]).toMatchObject({ outcome: 'ok' });
    const [{ path, headers, body } = { path: '', headers: {}, body: '' }] = receiver.got;
    expect(path).toBe(`/hook/Ann%20%26%20Bob?q=%7B%7Bsecret.TOKEN%7D%7D&u=${encodeURIComponent(userId)}`);
    expect(headers).toMatchObject({
      authorization: 'Bearer canary-token',
      'x-plan': 'pro-{{secret.TOKEN}}',
      'content-type': 'application/json',
    });
    expect(headers).not.toHaveProperty('webhook-signature');
    expect(JSON.parse(body)).toEqual({ name: 'Ann & Bob', total: 4.5, note: 'a pro plan', none: null });
    const { storage, tables } = database;
    const rows = [
      await storage.db.select().from(tables.webhookDeliveries),
      await storage.db.select().from(tables.webhookBodies),
      await storage.db.select().from(tables.workflows),
      await beckon.workflows.exportBundle(scope),
      await runOf(userId),
    ];
    expect(JSON.stringify(rows)).not.toContain('canary-token');
  });

  it('the stored response is limited to characters that both databases can store', async () => {
    await open();
    answer = {
      status: 200,
      body: '{"\\ud800k":["\\ud800","a\\u0000b"],"n\\u0000":{"__proto__":{"x":1},"y":1},"z":"\\\\u0000"}',
    };
    const run = await runOf(await start({ saveAs: 'odd' }));
    const body = { '\ufffdk': ['\ufffd', 'a\ufffdb'], 'n\ufffd': { y: 1 }, z: '\\u0000' };
    expect(run).toMatchObject({ status: 'completed', outcome: 'ok' });
    expect(run.context).toEqual({ odd: { status: 200, body } });
    expect(receiver.got).toHaveLength(1);
  });

  it('a webhook step waits for retries and continues with the response', async () => {
    await open();
    answer = { status: 503 };
    const userId = await start({});
    const later = async (seconds: number): Promise<number> => {
      clock.advance(seconds * 1_000);
      await beckon.worker.drain();
      return receiver.got.length;
    };
    expect(await later(29)).toBe(1);
    expect(await later(1)).toBe(2);
    expect(await runOf(userId)).toMatchObject({ status: 'waiting', steps: [] });
    answer = { status: 201, body: 'no JSON' };
    expect(await later(120)).toBe(3);
    const run = await runOf(userId);
    expect(run).toMatchObject({ status: 'completed', outcome: 'ok' });
    expect(run.steps[0]).toMatchObject({ httpStatus: 201, output: { status: 201, body: null } });
    expect(new Set(receiver.got.map(({ body }) => body)).size).toBe(1);
    expect(new Set(receiver.got.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  it('a webhook step fails after the sixth attempt, and at once after a permanent rejection', async () => {
    await open();
    answer = { status: 500 };
    const tired = await start({});
    for (const seconds of [30, 120, 600, 3_600, 21_600]) {
      clock.advance(seconds * 1_000);
      await beckon.worker.drain();
    }
    expect(receiver.got).toHaveLength(6);
    expect(await runOf(tired)).toMatchObject({ status: 'completed', outcome: 'partial' });
    expect((await runOf(tired)).steps).toMatchObject([
      { outcome: 'error', reason: 'exhausted', httpStatus: 500 },
      { outcome: 'ok' },
    ]);
    answer = { status: 404 };
    const refused = await runOf(await start({ onError: 'stop' }));
    expect(refused).toMatchObject({ status: 'completed', outcome: 'error', exitReason: 'on_error_stop' });
    expect(refused.steps).toMatchObject([{ outcome: 'error', reason: 'http_404', httpStatus: 404 }]);
  });

  it('a webhook step posts nothing if a secret is missing or the address is not public', async () => {
    await open();
    const lacking = await runOf(await start({ headers: { 'X-Key': '{{secret.GONE}}' } }));
    expect(lacking.steps[0]).toMatchObject({ outcome: 'error', reason: 'missing_secret', httpStatus: null });
    await start({});
    // Saved while the address was allowed.
    await beckon.close();
    beckon = await createBeckon({ db: database.url, masterKey: MASTER_KEY, clock });
    scope = await beckon.tenancy.scope({ ...scope });
    receiver.got.length = 0;
    const event = { module: 'm', eventType: `asked ${made}`, userId: 'eve' };
    await beckon.events.track(scope, event);
    await beckon.worker.drain();
    const blocked = await runOf('eve');
    expect(blocked.steps[0]).toMatchObject({ outcome: 'error', reason: 'blocked_address' });
    expect(receiver.got).toEqual([]);
  });

  it('values that would change the request line or its headers fail the step', async () => {
    await open();
    const at = { url: `${receiver.url}/{{event.a}}/end` };
    for (const a of ['.', '..']) {
      const run = await runOf(await start(at, { properties: { a } }));
      expect(run.steps[0]).toMatchObject({ outcome: 'error', reason: 'invalid_url' });
    }
    const run = await runOf(await start({ headers: { 'X-A': '{{event.a}}' } }, { properties: { a: 'x\r\nX-B: y' } }));
    expect(run.steps[0]).toMatchObject({ outcome: 'error', reason: 'invalid_header' });
    expect(receiver.got).toEqual([]);
  });

  it('a webhook step posts no body over the size limit', async () => {
    await open();
    const four = '{{event.a}}'.repeat(4);
    const url = `${receiver.url}/?q=${four}`;
    for (const config of [
      { url },
      { headers: { 'X-A': four, 'X-B': four } },
      { body: { a: four, b: ['{{event.a}}'] } },
    ]) {
      const fits = await runOf(await start(config, { properties: { a: 'é'.repeat(200) } }));
      expect(fits.steps[0]).toMatchObject({ outcome: 'ok' });
      const run = await runOf(await start(config, { properties: { a: 'é'.repeat(2_100) } }));
      expect(run.steps[0]).toMatchObject({ outcome: 'error', reason: 'too_large' });
    }
    expect(receiver.got).toHaveLength(3);
  });

  it('a cancelled run posts no more', async () => {
    await open();
    answer = { status: 503 };
    const userId = await start({});
    await beckon.runs.cancel(scope, (await runOf(userId)).id);
    clock.advance(30_000);
    await beckon.worker.drain();
    expect(receiver.got).toHaveLength(1);
    const rows = await database.storage.db.select().from(database.tables.webhookDeliveries);
    expect(rows).toMatchObject([{ status: 'cancelled', reason: 'run_over', dueAt: null }]);
  });

  it('webhook steps post nothing in test unless the operator enables it', async () => {
    await open();
    const test = await beckon.tenancy.scope({ ...scope, environment: 'test' });
    expect((await runOf(await start({}, { within: test }), test)).steps[0]).toMatchObject({
      outcome: 'ok',
      reason: 'sandbox',
      output: { status: 200, body: null },
    });
    expect(receiver.got).toEqual([]);
    await beckon.close();
    await open({ sandbox: { deliverWebhookSteps: true } });
    const other = await beckon.tenancy.scope({ ...scope, environment: 'test' });
    await start({}, { within: other });
    expect(receiver.got).toHaveLength(1);
  });

  it('a step delivery cannot be read or replayed as a webhook delivery', async () => {
    await open();
    await start({});
    const [row] = await database.storage.db.select().from(database.tables.webhookDeliveries);
    await expect(beckon.webhooks.delivery(scope, row?.id ?? '')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(beckon.webhooks.replay(scope, row?.id ?? '')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('create, update and import reject a step URL with an address that webhooks may not use', async () => {
    await open({ outbound: { webhooks: { httpsOnly: true } } });
    const stepsTo = (url: string) =>
      unchecked([{ type: 'branch', config: { split: [{ name: 'a', weight: 100, steps: [webhookTo(url)] }] } }]);
    const webhookTo = (url: string) => ({ type: 'webhook', config: { url } });
    const definition = (url: string) => ({
      ...{ name: 'W', description: null, isActive: true },
      ...{ trigger: { eventType: 'e' }, steps: stepsTo(url) },
    });
    const fieldsOf = async (work: Promise<unknown>): Promise<string[]> => {
      const error: { details: { fieldErrors: object } } = await work.then(
        () => ({ details: { fieldErrors: {} } }),
        (reason) => reason,
      );
      return Object.keys(error.details.fieldErrors);
    };
    const saved = await beckon.workflows.create(scope, definition('https://a.example/{{event.x}}'));
    for (const url of [
      'https://localhost/x',
      'https://127.0.0.1/{{event.x}}',
      'https://[::ffff:0:7f00:1]/x',
      'https://10.1.2.3:8443/x?y={{event.x}}',
      'https://169.254.169.254/latest',
      'http://a.example/x',
    ]) {
      const path = 'steps.0.config.split.0.steps.0.config.url';
      expect(await fieldsOf(beckon.workflows.create(scope, { ...definition(url), name: 'V' })), url).toEqual([path]);
      expect(await fieldsOf(beckon.workflows.update(scope, saved.id, { steps: stepsTo(url) })), url).toEqual([path]);
      const bundle = {
        version: BUNDLE_VERSION,
        exportedAt: clock.now().toISOString(),
        workflows: [definition('https://a.example/x'), { ...definition(url), name: 'V' }],
      };
      expect(await fieldsOf(beckon.workflows.importBundle(scope, unchecked(bundle))), url).toEqual([
        `workflows.1.${path}`,
      ]);
    }
    expect(await beckon.workflows.update(scope, saved.id, { isActive: false })).toMatchObject({ version: 2 });
  });

  it('an import names the path of an invalid webhook step', async () => {
    await open();
    const refused = async (config: object): Promise<string[]> => {
      const steps = unchecked([{ type: 'webhook', config: { url: 'https://a.example/x', ...config } }]);
      const definition = { name: 'W', description: null, isActive: true, trigger: { eventType: 'e' }, steps };
      const error: { details: { fieldErrors: object } } = await beckon.workflows.create(scope, definition).then(
        () => ({ details: { fieldErrors: {} } }),
        (reason) => reason,
      );
      return Object.keys(error.details.fieldErrors);
    };
    for (const url of [
      'ftp://a.example/x',
      'https://{{event.host}}/x',
      'https://a.example{{event.x}}',
      '{{event.url}}',
      'https://u:p@a.example/x',
      'https://a.example:22/x',
      'https://a.example/../x',
      'a.example/x',
    ])
      expect(await refused({ url }), url).toEqual(['steps.0.config.url']);
    expect(await refused({ method: 'GET' })).toEqual(['steps.0.config.method']);
    expect(await refused({ timeoutSeconds: 11 })).toEqual(['steps.0.config.timeoutSeconds']);
    expect(await refused({ body: 'text' })).toEqual(['steps.0.config.body']);
    expect(await refused({ headers: { Host: 'x' } })).toEqual(['steps.0.config.headers.Host']);
    expect(await refused({ headers: { 'X-A': 'a\nb' } })).toEqual(['steps.0.config.headers.X-A']);
    expect(await refused({})).toEqual([]);
  });
});
