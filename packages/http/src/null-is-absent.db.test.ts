import {
  type Beckon,
  type BodyName,
  bodySchemas,
  createBeckon,
  newMasterKey,
  nullIsAbsent,
  virtualClock,
} from '@beckon/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openTestDatabase, type TestDatabase } from '../../core/test/support/database.ts';
import { createHandler, type Handler } from './create-handler.ts';
import { routes } from './route-table.ts';

type Path = readonly (string | number)[];
type Members = Readonly<Record<string, unknown>>;
type Answered = { readonly data: Members };
const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const AUDIENCE = '01890000-0000-7000-8000-000000000002';
const box = (email: string) => ({ email, name: 'Ann' });
const common = { class: 'transactional', category: 'orders', tags: { team: 'shop' }, variables: { order: null } };
const pushTexts = {
  title: 'Hello',
  body: 'World',
  localizedTitle: { de: 'Hallo' },
  localizedBody: { de: 'Welt' },
};
const push = {
  ...pushTexts,
  data: { order: null },
  actions: [{ id: 'track', title: 'Track', url: 'https://shop.example/', icon: 'box' }],
  criticalAlert: { soundName: 'alarm', volume: 0.5 },
};
const mail = {
  from: box('shop@example.com'),
  replyTo: box('help@example.com'),
  subject: 'Hello',
  text: 'World',
  preheader: 'Hi',
  localized: { de: { subject: 'Hallo', preheader: 'Hi', text: 'Welt', html: '<p>Welt</p>' } },
  headers: { 'X-Order': '17' },
  tracking: { opens: true, clicks: true },
};
const attachments = [{ filename: 'a.txt', contentType: 'text/plain', content: 'SGVsbG8=', cid: 'a' }];
const sms = { body: 'Hello', localizedBody: { de: 'Hallo' }, maxSegments: 2 };
const variants = (texts: Members) => [{ key: 'a', weight: 100, ...texts }];
const metric = { type: 'event', eventType: 'bought', windowHours: 5 };

/** One body per type, which holds every object with an optional field. */
const bodies: Readonly<Partial<Record<BodyName, Members>>> = {
  EmailInput: { ...mail, attachments, to: box('ann@example.com'), cc: [box('bob@example.com')], ...common },
  EmailAudienceInput: { ...mail, attachments, audienceId: AUDIENCE, ...common },
  PushInput: { ...push, userIds: ['ann'], ...common },
  PushAudienceInput: { ...push, audienceId: AUDIENCE, ...common },
  SmsInput: { ...sms, to: '+14155550123', ...common },
  SmsAudienceInput: { ...sms, audienceId: AUDIENCE, ...common },
  EmailTemplateInput: { name: 'T', ...mail },
  PushTemplateInput: { name: 'T', ...push },
  SmsTemplateInput: { name: 'T', ...sms },
  PreviewInput: { userId: 'ann', variables: { order: null }, locale: 'de' },
  EmailAbTestInput: {
    name: 'T',
    variants: variants({ subject: 'Hello', text: 'World', localized: mail.localized }),
    metric,
  },
  PushAbTestInput: { name: 'T', variants: variants({ ...pushTexts, data: { order: null } }), metric },
  SmsAbTestInput: { name: 'T', variants: variants({ body: 'Hello' }), metric },
  AbTestCompletion: { winnerKey: 'a' },
};

const inner = (schema: z.core.$ZodType): z.core.$ZodType => {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return inner(schema.def.innerType);
  return schema instanceof z.ZodPipe ? inner(schema.def.in) : schema;
};
/** True if an object within the schema has an optional field. */
const hasOptional = (type: z.core.$ZodType): boolean => {
  const schema = inner(type);
  if (schema instanceof z.ZodObject)
    return Object.values<z.core.$ZodType>(schema.shape).some(
      (field) => field._zod.optin === 'optional' || hasOptional(field),
    );
  if (schema instanceof z.ZodArray) return hasOptional(schema.def.element);
  if (schema instanceof z.ZodRecord) return hasOptional(schema.def.valueType);
  return schema instanceof z.ZodUnion && schema.def.options.some(hasOptional);
};
const fits = (schema: z.core.$ZodType, value: unknown): boolean => {
  const kind = inner(schema);
  return kind instanceof z.ZodObject ? isMembers(value) : kind instanceof z.ZodArray && Array.isArray(value);
};

/** Paths of the optional fields of a schema, at each level that it names. */
function* optionalPaths(type: z.core.$ZodType, value: unknown, path: Path = []): Generator<Path> {
  const schema = inner(type);
  if (schema instanceof z.ZodUnion) {
    for (const option of schema.def.options) if (fits(option, value)) yield* optionalPaths(option, value, path);
  } else if (schema instanceof z.ZodObject) {
    const members = isMembers(value) ? value : {};
    for (const [key, field] of Object.entries<z.core.$ZodType>(schema.shape)) {
      const at = [...path, key];
      if (field._zod.optin === 'optional') yield at;
      if (hasOptional(field) && key !== 'bcc' && members[key] === undefined)
        throw new Error(`name ${at.join('.')} in the body of the test`);
      yield* optionalPaths(field, members[key], at);
    }
  } else if (schema instanceof z.ZodArray && Array.isArray(value)) {
    yield* optionalPaths(schema.def.element, value[0], [...path, 0]);
  } else if (schema instanceof z.ZodRecord && isMembers(value)) {
    for (const [key, member] of Object.entries(value))
      yield* optionalPaths(schema.def.valueType, member, [...path, key]);
  }
}

/** The body with null at a path, or without that field. */
const changed = (value: unknown, [key, ...rest]: Path, to: null | undefined): unknown => {
  if (key === undefined) return to;
  if (Array.isArray(value)) return value.map((item, at) => (at === key ? changed(item, rest, to) : item));
  const members = isMembers(value) ? value : {};
  const { [String(key)]: member, ...others } = members;
  const next = changed(member, rest, to);
  return next === undefined ? others : { ...others, [String(key)]: next };
};

describe('null in a body', () => {
  let database: TestDatabase;
  let beckon: Beckon;
  let handler: Handler;
  let key: string;
  let audienceId: string;
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    const clock = virtualClock('2026-03-01T12:00:00.000Z');
    database = await openTestDatabase();
    beckon = await createBeckon({
      db: database.url,
      masterKey: newMasterKey(),
      clock,
      limits: { callsPerMinute: 1_000_000 },
      email: { mailsPerMinute: 60_000 },
      publicUrl: 'https://links.example',
    });
    handler = createHandler(beckon, { clock });
    const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Acme' });
    const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
    const scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'test' });
    const grants = [{ orgId, projectId }];
    key = (await beckon.tenancy.createKey({ kind: 'secret', environment: 'test', grants })).secret;
    audienceId = (await beckon.audiences.create(scope, { name: 'All' })).id;
    await beckon.events.identify(scope, { userId: 'ann', traits: { email: 'ann@example.com' } });
    ids['/email/templates/:id/preview'] = (
      await beckon.templates.create(scope, 'email', { name: 'P', subject: 's', text: 't' })
    ).id;
    ids['/push/templates/:id/preview'] = (await beckon.templates.create(scope, 'push', { name: 'P', title: 't' })).id;
    ids['/sms/templates/:id/preview'] = (await beckon.templates.create(scope, 'sms', { name: 'P', body: 't' })).id;
    for (const channel of ['email', 'push', 'sms'] as const) {
      const test = { name: 'C', variants: [{ key: 'a', weight: 100 }] };
      ids[`/${channel}/ab-tests/:id/complete`] = (await beckon.abTests.create(scope, channel, test)).id;
    }
  });
  afterAll(async () => {
    await beckon.close();
    await database.close();
  });

  let named = 0;
  /** The status and the response, without values that differ from call to call. */
  const ask = async (method: string, path: string, body: unknown) => {
    named += 1;
    const name = `Named ${named}`;
    const sent = isMembers(body) && body['name'] === 'T' ? { ...body, name } : body;
    const response = await handler.fetch(
      new Request(`http://test/api/v1${path}`, {
        method,
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: JSON.stringify(sent).replaceAll(AUDIENCE, audienceId),
      }),
    );
    const text = (await response.text()).replaceAll(name, 'Named').replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, 'an id');
    return { status: response.status, text };
  };

  const withBodies = routes.flatMap((route) => {
    if (route.needs !== 'project' || route.takes === undefined) return [];
    const body = bodies[route.takes];
    return body === undefined || route.method !== 'POST' ? [] : [{ path: route.path, takes: route.takes, body }];
  });

  it('null is sent to every route that takes a send, a template or an A/B test', () => {
    expect(new Set(withBodies.map(({ takes }) => takes))).toEqual(new Set(nullIsAbsent.bodies));
    expect(withBodies.length).toBe(6 + 3 + 3 + 3 + 3);
  });

  it.each(withBodies)('null means absent in each optional field of $path', async ({ path, takes, body }) => {
    const url = path.replace(':id', ids[path] ?? '');
    const paths = [...optionalPaths(bodySchemas()[takes], body)];
    expect(paths.length).toBeGreaterThan(0);
    const whole = await ask('POST', url, body);
    expect([200, 201], whole.text).toContain(whole.status);
    for (const at of paths) {
      const absent = await ask('POST', url, changed(body, at, undefined));
      const isNull = await ask('POST', url, changed(body, at, null));
      expect(isNull, `${path} ${at.join('.')}`).toEqual(absent);
    }
    const all = paths.filter((at) => !['userIds', 'to', 'audienceId', 'tokens'].includes(String(at[0])));
    const deepestFirst = all.toSorted((a, b) => b.length - a.length);
    const emptied = (to: null | undefined) => deepestFirst.reduce((left: unknown, at) => changed(left, at, to), body);
    expect(await ask('POST', url, emptied(null)), `${path} in all at once`).toEqual(
      await ask('POST', url, emptied(undefined)),
    );
  });

  it('null is stored in free-form data, and clears a field of a template in a PATCH', async () => {
    const call = async (method: string, path: string, body?: object) => {
      const init = { method, headers: { 'x-api-key': key, 'content-type': 'application/json' } };
      const request = new Request(`http://test/api/v1${path}`, {
        ...init,
        ...(body && { body: JSON.stringify(body) }),
      });
      const response = await handler.fetch(request);
      const { data }: Answered = JSON.parse(await response.text());
      return { status: response.status, data };
    };
    const data = { order: null, deep: { list: [null, { x: null }] } };
    const made = await call('POST', '/push/templates', { name: 'Kept', title: 't', body: 'b', sound: null, data });
    expect(made).toMatchObject({ status: 201, data: { title: 't', body: 'b', data } });
    expect(made.data).not.toHaveProperty('sound');
    const actions = [{ id: 'a', title: 'A', url: null }];
    const patched = await call('PATCH', `/push/templates/${made.data.id}`, { body: null, actions });
    expect(patched).toMatchObject({ status: 200, data: { title: 't', data } });
    expect(patched.data.actions).toEqual([{ id: 'a', title: 'A' }]);
    expect(patched.data).not.toHaveProperty('body');
    const test = await call('POST', '/push/ab-tests', {
      name: 'M',
      metric,
      variants: [{ key: 'a', weight: 100, data }],
    });
    expect(test.data.variants).toMatchObject([{ data }]);
    const cleared = await call('PATCH', `/push/ab-tests/${test.data.id}`, { metric: null, winnerKey: null });
    expect(cleared).toMatchObject({ status: 200, data: { metric: { type: 'open', windowHours: 72 } } });
  });
});
