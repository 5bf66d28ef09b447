import type { Channel } from '@beckon/core';
import { type Answer, succeed } from '../pipeline/envelope.ts';
import { limitUnaccepted } from '../pipeline/limits.ts';
import { DEFAULT_BODY_CAP, type OpenRoute, param } from '../route.ts';

/** A route without a key for delivery webhooks of a channel's providers. */
export const callbackRoute = (channel: Channel, path: string): OpenRoute => ({
  method: 'POST',
  path,
  shape: 'auto',
  kind: 'none',
  attempts: 'callback',
  scope: null,
  needs: 'nothing',
  // Source: transports, Provider callbacks.
  bodyCap: DEFAULT_BODY_CAP,
  summary: 'Receive a delivery webhook',
  description:
    'Verifies the signature of the provider and updates the messages. Rejected requests count against the rate limit of their network.',
  answer: { 200: 'CallbackCounts' },
  errors: ['UNAUTHORIZED', 'NOT_FOUND', 'RATE_LIMITED'],
  run: async (beckon, call): Promise<Answer> => {
    const receive = (isSuspect: boolean) =>
      beckon.callbacks.receive({
        channel,
        provider: param(call, 'provider'),
        orgId: call.params['orgId'],
        isSuspect,
        ...call.sent,
      });
    const { reply, isAccepted: _, ...counts } = await limitUnaccepted(beckon, call.network, receive);
    if (reply === null) return succeed(counts);
    return { status: 200, headers: { 'Content-Type': reply.contentType }, body: reply.body };
  },
});

/** Delivery webhooks of providers. They need no key, because requests are signed. */
export const callbackRoutes: readonly OpenRoute[] = [
  callbackRoute('email', '/email/webhooks/:provider'),
  callbackRoute('sms', '/sms/webhooks/:provider/:orgId'),
];
