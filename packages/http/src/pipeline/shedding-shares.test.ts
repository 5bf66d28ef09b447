import type { Principal } from '@beckon/core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { EVENT_ID, fakeBeckon, grant, PROJECT_1, principal } from '../../test/support/fake-beckon.ts';
import { fetchFace } from '../fetch.ts';
import { makeHandle } from '../handler.ts';
import { type Load, NO_LOAD } from '../load.ts';

const HIGHEST = 9;
const OTHERS = Array.from({ length: 10 }, (_, at) => `other ${at}`);
const [FLOOD_NETWORK, OFFICE] = ['203.0.113.7', '198.51.100.4'];

type RequestParts = { readonly path?: string; readonly body?: string; readonly address?: string };

/** A handler whose lists and events end when the test releases them. Each key is the name of its organization. */
const setUp = () => {
  let nowMs = 1_000;
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const state: { load: Load } = { load: NO_LOAD };
  let open: (() => void)[] = [];
  let isHeld = false;
  const held = async <T>(value: T): Promise<T> => {
    if (isHeld) await new Promise<void>((resolve) => open.push(resolve));
    return value;
  };
  const page = { data: [], pagination: { limit: 50, hasMore: false, nextCursor: null } };
  const known = async (key: string): Promise<Principal | null> =>
    key.startsWith('no') ? null : principal({ keyId: key, grants: [grant(`org ${key}`, PROJECT_1)] });
  const { beckon } = fakeBeckon({
    tenancy: {
      authenticate: async (key) => (key.startsWith('no') ? held(null) : known(key)),
      scopeFor: async () =>
        ({ scopeId: 1, orgId: 'o', projectId: PROJECT_1, projectKey: 1, environment: 'prod' }) as never,
    },
    profiles: { list: () => held(page) },
    events: {
      track: () => held({ id: EVENT_ID, accepted: true } as const),
      batch: () => held({ accepted: 1, duplicates: 0, rejected: [] }),
    },
    email: { trackOpen: () => held(undefined) },
  });
  const fetch = fetchFace(makeHandle(beckon, { load: () => state.load }));
  const call = async (
    key: string,
    { path = '/profiles', body, address = OFFICE }: RequestParts = {},
  ): Promise<number> => {
    const request = new Request(`http://test/api/v1${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body }),
    });
    return (await fetch(request, { address })).status;
  };
  return {
    state,
    call,
    pass: (ms: number): void => {
      nowMs += ms;
    },
    /** Starts this many calls that do not end; returns a function that ends them. */
    begin: async (count: number, key: string, parts?: RequestParts) => {
      isHeld = true;
      const calls = Array.from({ length: count }, () => call(key, parts));
      for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      isHeld = false;
      return async (): Promise<readonly number[]> => {
        while (open.length > 0) {
          const all = open;
          open = [];
          for (const end of all) end();
          await new Promise((resolve) => setImmediate(resolve));
        }
        return Promise.all(calls);
      };
    },
  };
};

const all = (status: number) => OTHERS.map(() => status);

afterEach(() => vi.restoreAllMocks());

describe('load caused by one caller', () => {
  it('at every level the organization that floods is rejected, and calls of ten other organizations pass', async () => {
    const { state, call, begin, pass } = setUp();
    const end = await begin(300, 'flood');
    pass(500);
    for (let level = 2; level <= HIGHEST; level += 1) {
      state.load = { ...NO_LOAD, level };
      expect(await Promise.all(OTHERS.map((key) => call(key)))).toEqual(all(200));
      expect(await call('flood')).toBe(503);
    }
    const event = { path: '/events', body: '{}' };
    expect([await call('flood', event), await call('other 1', event)]).toEqual([503, 200]);
    expect(new Set(await end())).toEqual(new Set([200]));
    expect([await call('flood'), await call('other 1')]).toEqual([503, 200]);
    state.load = NO_LOAD;
    expect(await call('flood')).toBe(200);
  });

  it('an organization that stops flooding is rejected only while its usage exceeds that of others', async () => {
    const { state, call, begin, pass } = setUp();
    const end = await begin(300, 'flood');
    pass(500);
    await end();
    state.load = { ...NO_LOAD, level: HIGHEST };
    expect([await call('flood'), await call('other 1')]).toEqual([503, 200]);
    pass(120_000);
    state.load = NO_LOAD;
    const another = await begin(300, 'next flood');
    pass(500);
    state.load = { ...NO_LOAD, level: HIGHEST };
    expect([await call('flood'), await call('other 1'), await call('next flood')]).toEqual([200, 200, 503]);
    await another();
  });

  it('other organizations in the network of one that floods are not rejected', async () => {
    const { state, call, begin } = setUp();
    const end = await begin(300, 'flood', { address: FLOOD_NETWORK });
    state.load = { ...NO_LOAD, level: HIGHEST };
    const same = { address: FLOOD_NETWORK };
    expect(await Promise.all(OTHERS.map((key) => call(key, same)))).toEqual(all(200));
    expect(await call('flood', { address: OFFICE })).toBe(503);
    await end();
  });

  it('a network that floods with invalid keys is rejected before the key look-up, and others pass', async () => {
    const { state, call, begin } = setUp();
    const end = await begin(300, 'nobody', { address: FLOOD_NETWORK });
    state.load = { ...NO_LOAD, level: HIGHEST };
    expect(await call('nobody', { address: FLOOD_NETWORK })).toBe(503);
    expect(await call('other 1', { address: FLOOD_NETWORK })).toBe(503);
    expect(await call('nobody', { address: OFFICE })).toBe(401);
    expect(await Promise.all(OTHERS.map((key) => call(key)))).toEqual(all(200));
    expect(new Set(await end())).toEqual(new Set([401]));
  });

  it('a network that floods a public page is rejected, and other networks get the page', async () => {
    const { state, call, begin } = setUp();
    const pixel = { path: '/email/o/token' };
    const end = await begin(300, '', { ...pixel, address: FLOOD_NETWORK });
    state.load = { ...NO_LOAD, level: HIGHEST };
    expect(await call('', { ...pixel, address: FLOOD_NETWORK })).toBe(503);
    for (let at = 1; at <= 10; at += 1) expect(await call('', { ...pixel, address: `192.0.2.${at}` })).toBe(200);
    await end();
  });

  it('other organizations are rejected too if the load does not fall without the one that floods', async () => {
    const { state, call, begin } = setUp();
    const end = await begin(300, 'flood');
    state.load = { ...NO_LOAD, level: HIGHEST, part: 2 ** -30 };
    expect(await Promise.all(OTHERS.map((key) => call(key)))).toEqual(all(503));
    await end();
  });

  it('a pause rejects events of the organization that sent most, with both forms of a batch counted alike', async () => {
    const { state, call } = setUp();
    const events = Array.from({ length: 400 }, () => ({}));
    for (const [key, body] of [
      ['flood', JSON.stringify(events)],
      ['second', JSON.stringify({ batch: events })],
    ] as const)
      expect(await call(key, { path: '/events/batch', body })).toBe(200);
    for (const key of OTHERS) expect(await call(key, { path: '/events', body: '{}' })).toBe(200);
    state.load = { ...NO_LOAD, isIngestPaused: true };
    const event = { path: '/events', body: '{}' };
    expect([await call('flood', event), await call('second', event)]).toEqual([503, 503]);
    expect(await Promise.all(OTHERS.map((key) => call(key, event)))).toEqual(all(200));
    expect(await call('flood')).toBe(200);
    state.load = { ...NO_LOAD, isIngestPaused: true, ingestPart: 1 / 1_000 };
    expect(await Promise.all(OTHERS.map((key) => call(key, event)))).toEqual(all(503));
    state.load = NO_LOAD;
    expect(await call('flood', event)).toBe(200);
  });
});
