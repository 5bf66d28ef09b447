import { readFileSync } from 'node:fs';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { Pages, Route, ServerClient } from './client-types.ts';
import { methods } from './methods.ts';

type Operation = { readonly security?: readonly object[] };
type Tree = { readonly [name: string]: string | Tree };

const BASE = '/api/v1';
const EXPLICIT = `${BASE}/orgs/{orgId}/`;
/** Operations that a program may call without a key. */
const OPEN = ['GET /openapi.json', 'GET /healthz', 'GET /readyz'];

/** Routes with which a page or an app signs its user in. */
const isOfSignIn = (route: string): boolean =>
  /^\w+ \/auth-service\/(?!users|settings|signing-keys|audit|social|jwt-template|s(?:so|cim)\/(?:connections|domains|directories|tokens))/.test(
    route,
  );

/** Routes that do the same as another route, which the method calls. */
const SECOND_ROUTES = [
  ...['push', 'email', 'sms'].map((channel) => `POST /${channel}/settings`),
  ...['email', 'sms'].map((channel) => `DELETE /${channel}/suppressions`),
  'DELETE /audiences/{id}/members',
  'DELETE /push/live-activities/{externalId}',
];

const document: { paths: Record<string, Record<string, Operation>> } = JSON.parse(
  readFileSync(new URL('../../../http/src/openapi/openapi.json', import.meta.url), 'utf8'),
);
/** Every operation, and whether it needs a key; the two shapes of one path are one. */
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, { security = [] }]) => ({
    route: `${method.toUpperCase()} ${path.replace(EXPLICIT, `${BASE}/`).replace(BASE, '')}`,
    needsKey: security.length > 0,
  })),
);
const leaves = (tree: Tree): string[] =>
  Object.values(tree).flatMap((node) => (typeof node === 'string' ? [node] : leaves(node)));

describe('methods of the server client', () => {
  it('every operation for programs has one method, and a second route of the same function has none', () => {
    const expected = operations
      .filter(
        ({ route, needsKey }) =>
          (needsKey || OPEN.includes(route)) && !SECOND_ROUTES.includes(route) && !isOfSignIn(route),
      )
      .map(({ route }) => route);
    expect(leaves(methods).sort()).toEqual([...new Set(expected)].sort());
  });

  it('the methods leave out routes that only browsers, recipients and providers call, and second routes', () => {
    const named = new Set(leaves(methods));
    const left = new Set(
      operations.map(({ route }) => route).filter((route) => !named.has(route) && !isOfSignIn(route)),
    );
    expect([...left].sort()).toEqual(
      [
        ...SECOND_ROUTES,
        'GET /',
        'GET /beckon-sw.js',
        'GET /email/c/{token}',
        'GET /email/o/{token}',
        'GET /unsubscribe/{token}',
        'HEAD /email/c/{token}',
        'HEAD /email/o/{token}',
        'POST /email/webhooks/{provider}',
        'POST /sms/webhooks/{provider}/{orgId}',
        'POST /unsubscribe/{token}',
      ].sort(),
    );
  });

  it('the methods are typed with the input and output of their route', () => {
    const check = async (client: ServerClient): Promise<void> => {
      expectTypeOf(await client.profiles.get('ada')).toHaveProperty('traits');
      expectTypeOf(client.profiles.list({ limit: 5 })).toExtend<Pages<{ readonly userId: string | null }>>();
      expectTypeOf(await client.push.geofences.nearest({ lat: 1, lng: 2 })).toHaveProperty('data');
      await client.email.send({ userIds: ['ada'], subject: 'Hello', text: 'Hi' }, { idempotencyKey: 'hello-1' });
      await client.profiles.get('ada', { signal: AbortSignal.timeout(1_000) });
      // @ts-expect-error: the part of the path is missing
      await client.profiles.get();
      // @ts-expect-error: a filter of the wrong type
      client.profiles.list({ limit: '5' });
      // @ts-expect-error: no such filter
      client.profiles.list({ colour: 'red' });
      // @ts-expect-error: both are needed
      await client.push.geofences.nearest({ lat: 1 });
      // @ts-expect-error: the body is missing
      await client.events.track();
      // @ts-expect-error: a field of the wrong type
      await client.events.track({ module: 'shop', eventType: 7 });
      // @ts-expect-error: this route takes no such key
      await client.audiences.delete('1', { idempotencyKey: '1' });
    };
    expectTypeOf(check).toBeFunction();
    expectTypeOf<'GET /events/{id}'>().toExtend<Route>();
  });

  it('a typed server client checks event names', () => {
    interface ShopEvents {
      'order.paid': { readonly orderId: string; readonly amount: number };
      'cart.emptied': { readonly reason?: string };
    }
    const check = async ({ events }: ServerClient<ShopEvents>): Promise<void> => {
      const who = { module: 'shop', userId: 'ada' };
      const paid = { ...who, eventType: 'order.paid', properties: { orderId: '7', amount: 3 } } as const;
      expectTypeOf(await events.track(paid)).toHaveProperty('id');
      await events.track({ ...who, eventType: 'cart.emptied' });
      await events.batch({
        batch: [paid, { ...who, eventType: 'cart.emptied', properties: {} }],
        sentAt: '2026-03-01',
      });
      await events.batch([paid], { idempotencyKey: 'orders-7' });
      expectTypeOf(events.list({ limit: 5 })).toHaveProperty('page');
      // @ts-expect-error: no such event
      await events.track({ ...who, eventType: 'order.lost', properties: {} });
      // @ts-expect-error: the properties are needed
      await events.track({ ...who, eventType: 'order.paid' });
      // @ts-expect-error: a property of the wrong type
      await events.track({ ...paid, properties: { orderId: '7', amount: '3' } });
      // @ts-expect-error: the properties of another event
      await events.batch([{ ...who, eventType: 'cart.emptied', properties: { reason: 7 } }]);
      // @ts-expect-error: an event has a module
      await events.track({ eventType: 'cart.emptied' });
    };
    expectTypeOf(check).toBeFunction();
  });
});
