import { describe, expect, it } from 'vitest';
import { pushMessage } from '../../../../test/support/transports/push-message.ts';
import type { Platform } from '../../../foundation/device-platform.ts';
import type { PushMessage, SmsMessage } from '../port.ts';
import type { SandboxRequest } from './request.ts';
import { sandboxTransport } from './sandbox.ts';

const push = (token: string, platform: Platform, more: Partial<PushMessage> = {}): PushMessage =>
  pushMessage({ messageId: 'm', sendId: 's', token, platform, title: 't', body: 'b', ttlSeconds: 60, ...more });
const text = (to: string): SmsMessage => ({
  messageId: 'm',
  sendId: 's',
  to,
  from: null,
  messagingServiceId: null,
  body: 'Hi',
  mediaUrls: [],
  statusCallback: null,
  validitySeconds: null,
});
const signal = new AbortController().signal;

describe('the sandbox of push', () => {
  const open = () => {
    const requests: (SandboxRequest | null)[] = [];
    const { send } = sandboxTransport<PushMessage>({
      record: async (_, request) => {
        requests.push(request);
      },
      slowMs: 0,
    });
    return { requests, send: (message: PushMessage) => send(message, { signal, attempt: 1 }) };
  };

  it("sandbox tokens simulate outcomes, also as the last part of a browser's endpoint", async () => {
    const { requests, send } = open();
    const browser = (name: string) => JSON.stringify({ endpoint: `https://push.example.com/v1/${name}`, keys: {} });
    expect(await send(push('sandbox-dead-1', 'ios'))).toMatchObject({ result: 'failed', address: 'dead' });
    expect(await send(push(browser('sandbox-dead'), 'web'))).toMatchObject({ result: 'failed', address: 'dead' });
    expect(await send(push('sandbox-retry', 'android'))).toMatchObject({ result: 'retry' });
    expect(await send(push('sandbox-reject', 'android'))).not.toHaveProperty('address');
    expect(await send(push('sandbox-unregistered-7', 'android'))).toMatchObject({ result: 'failed', address: 'dead' });
    expect(await send(push(browser('sandbox-unregistered'), 'web'))).toMatchObject({ address: 'dead' });
    expect(requests).toEqual([]);
    expect(await send(push('sandbox-slow', 'android'))).toMatchObject({ result: 'accepted' });
    expect(await send(push(browser('other'), 'web'))).toMatchObject({ result: 'accepted' });
  });

  it('the push sandbox records the request that the platform would receive', async () => {
    const { requests, send } = open();
    await send(push('a'.repeat(64), 'ios', { collapseKey: 'news' }));
    await send(push('t', 'android'));
    await send(push('{}', 'web'));
    expect(requests).toMatchObject([
      {
        provider: 'apns',
        headers: { 'apns-id': 'm', 'apns-push-type': 'alert', 'apns-collapse-id': 'news' },
        payload: { aps: { alert: { title: 't', body: 'b' } }, data: { serviceSendId: 's', serviceMessageId: 'm' } },
      },
      { provider: 'fcm', payload: { token: 't', notification: { title: 't' } } },
      { provider: 'webpush', headers: { TTL: '60', Urgency: 'high' }, payload: { title: 't' } },
    ]);
    for (const request of requests) expect(request?.bytes).toBe(Buffer.byteLength(JSON.stringify(request?.payload)));
  });

  it('the push sandbox refuses what the platform would refuse', async () => {
    const { requests, send } = open();
    for (const platform of ['ios', 'android', 'web'] as const)
      expect(await send(push('t', platform, { body: 'ü'.repeat(2_048) }))).toMatchObject({
        result: 'failed',
        code: 'payload_too_large',
      });
    expect(await send(push('t', 'android', { data: { 'google.x': '1' } }))).toMatchObject({
      code: 'reserved_data_key',
    });
    expect(await send(push('a', 'ios', { data: { 'google.x': '1' } }))).toMatchObject({ result: 'accepted' });
    expect(requests).toHaveLength(1);
  });
});

describe('the sandbox of text messages', () => {
  it('sandbox numbers simulate later delivery reports', async () => {
    const { send } = sandboxTransport<SmsMessage>({ record: async () => undefined, slowMs: 0 });
    const sent = (to: string) => send(text(to), { signal, attempt: 1 });
    expect(await sent('+15555550101')).toEqual({ result: 'accepted', providerId: null, simulated: 'delivered' });
    expect(await sent('+15555550102')).toEqual({ result: 'accepted', providerId: null, simulated: 'failed' });
    expect(await sent('+15555550103')).toEqual({ result: 'accepted', providerId: null });
  });

  it('the last four digits of a number simulate an outcome', async () => {
    const { send } = sandboxTransport<SmsMessage>({ record: async () => undefined, slowMs: 0 });
    const results = await Promise.all(
      ['0001', '0002', '0003', '0004', '0005', '0010'].map((end) =>
        send(text(`+1415555${end}`), { signal, attempt: 1 }),
      ),
    );
    expect(results).toMatchObject([
      { result: 'failed', address: 'opted_out' },
      { result: 'retry', processed: 'no' },
      { result: 'accepted' },
      { result: 'failed', code: 'sandbox_reject' },
      { result: 'accepted' },
      { result: 'accepted' },
    ]);
  });
});
