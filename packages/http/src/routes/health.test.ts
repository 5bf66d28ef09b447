import { describe, expect, it } from 'vitest';
import { make } from '../../test/support/fake-handler.ts';
import type { Load } from '../load.ts';

describe('health', () => {
  it('GET /healthz is answered 200 without a key', async () => {
    const { json } = await make().send('GET', '/healthz', { key: '' });
    expect(json).toEqual({ success: true, data: { status: 'ok' } });
  });

  it('GET /readyz is answered 200 if Beckon is ready', async () => {
    const { status, json } = await make().send('GET', '/readyz', { key: '' });
    expect([status, json]).toEqual([200, { success: true, data: { ready: true, status: 'ok', checks: {} } }]);
  });

  it('GET /readyz is answered 200 and reports a degraded service', async () => {
    const { send } = make({ health: async () => ({ ready: true, status: 'degraded', checks: {} }) });
    const { status, json } = await send('GET', '/readyz', { key: '' });
    expect([status, json]).toEqual([200, { success: true, data: { ready: true, status: 'degraded', checks: {} } }]);
  });

  it('GET /readyz is answered 503 with the checks if the service is not ready', async () => {
    const checks = { database: { ok: false, detail: 'out of reach' } };
    const { send, logged } = make({ health: async () => ({ ready: false, status: 'unready', checks }) });
    const { status, headers, json } = await send('GET', '/readyz', { key: '' });
    expect([status, headers.get('retry-after')]).toEqual([503, '1']);
    expect(json.error).toMatchObject({ code: 'OVERLOADED', details: { checks } });
    expect(logged).toEqual([]);
  });

  it('GET /readyz stays 200 under load, and reports the rejected kinds and the reason', async () => {
    const load: Load = { level: 2, isIngestPaused: true, reason: 'the event loop is 620 ms late' };
    const { status, json } = await make({}, { load: () => load }).send('GET', '/readyz', { key: '' });
    const detail = 'the event loop is 620 ms late; refused: analytics, lists, events';
    const checks = { load: { ok: false, detail } };
    expect([status, json.data]).toEqual([200, { ready: true, status: 'degraded', checks }]);
  });
});
