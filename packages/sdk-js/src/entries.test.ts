import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, expectTypeOf, it, vi } from 'vitest';
import type { Client } from './client-types.ts';

afterEach(() => void vi.useRealTimers());

describe('entry points', () => {
  it('every entry is imported without a page, without touching a global or leaving a timer', async () => {
    vi.useFakeTimers();
    vi.resetModules();
    const before = Object.getOwnPropertyNames(globalThis).sort();
    const entries = await Promise.all([
      import('./index.ts'),
      import('./core.ts'),
      import('./auto/index.ts'),
      import('./push/index.ts'),
      import('./auth/index.ts'),
      import('./sw/index.ts'),
      import('./node/index.ts'),
    ]);
    expect(entries.map((entry) => Object.keys(entry).sort())).toEqual([
      ['ApiError', 'createClient', 'fieldErrors', 'isRateLimited', 'isTierRequired'],
      ['ApiError', 'createClient', 'fieldErrors', 'isRateLimited', 'isTierRequired'],
      ['autoTrack'],
      ['enableWebPush'],
      ['ApiError', 'createAuth'],
      ['handlePushes'],
      [
        'ApiError',
        'WebhookError',
        'createServerClient',
        'fieldErrors',
        'isRateLimited',
        'isTierRequired',
        'verifyWebhook',
      ],
    ]);
    expect(Object.getOwnPropertyNames(globalThis).sort()).toEqual(before);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('no entry needs a package at run time', () => {
    const manifest: Record<string, unknown> = JSON.parse(
      readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
    );
    expect(manifest).not.toHaveProperty('dependencies');
    expect(manifest).not.toHaveProperty('peerDependencies');
    expect(manifest).toMatchObject({ sideEffects: false, type: 'module' });
  });
});

describe('types of a client', () => {
  interface Events {
    'order.paid': { orderId: string; amount: number };
    'page.closed': { reason?: string };
  }

  it('a typed client checks event names and their properties', () => {
    const check = (client: Client<Events>): void => {
      client.track('order.paid', { orderId: '1', amount: 2 });
      client.track('page.closed');
      // @ts-expect-error: a property is missing
      client.track('order.paid', { orderId: '1' });
      // @ts-expect-error: properties have to be there
      client.track('order.paid');
      // @ts-expect-error: no such event
      client.track('order.lost', {});
    };
    expectTypeOf(check).toBeFunction();
  });

  it('an untyped client takes any event', () => {
    const check = (client: Client): void => {
      client.track('anything');
      client.track('anything', { at: 'all' }, 'billing');
    };
    expectTypeOf(check).toBeFunction();
  });
});
