// A custom email transport: "Courier", a provider that Beckon does not know, takes one JSON object per email over HTTP.
import { Agent, request } from 'node:http';
import type { EmailMessage, HostTransport, SendContext, SendOutcome } from '@beckon/core';

/** Maximum concurrent calls that Courier accepts. */
const MAX_IN_FLIGHT = 10;
/** Timeout of a call that is not aborted before, in milliseconds. */
const LIMIT_MS = 10_000;

type Answer = { readonly status: number; readonly retryAfter: string | undefined };

const retry = (code: string, processed: 'no' | 'unknown', retryAfterMs?: number): SendOutcome => ({
  result: 'retry',
  code,
  message: 'Courier did not take the mail.',
  processed,
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
});

const outcomeOf = ({ status, retryAfter }: Answer, messageId: string): SendOutcome => {
  if (status === 202) return { result: 'accepted', providerId: messageId };
  if (status === 401) return { result: 'credential', code: 'courier_401', message: 'Courier does not know the key.' };
  if (status === 410)
    return { result: 'failed', code: 'courier_410', message: 'Nobody is there any more.', address: 'bounced' };
  if (status === 429) return retry('courier_429', 'no', Number(retryAfter ?? 0) * 1_000);
  if (status >= 500) return retry(`courier_${status}`, 'unknown');
  return { result: 'failed', code: `courier_${status}`, message: 'Courier refused the mail.' };
};

/** A transport to Courier at `url`. It has at most ten calls in progress, and returns within 100 ms after an abort. */
export const courier = (url: string, key: string, limitMs = LIMIT_MS): HostTransport<EmailMessage> => {
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_IN_FLIGHT });
  const underWay = new Set<Promise<unknown>>();
  let isClosed = false;

  const post = (message: EmailMessage, signal: AbortSignal): Promise<SendOutcome> =>
    new Promise((resolve) => {
      // Until the whole request is on a connection, Courier provably did nothing.
      let isSent = false;
      const fail = (): void => resolve(retry('courier_unreachable', isSent ? 'unknown' : 'no'));
      const { messageId: id, envelope, subject, text, html } = message;
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const call = request(url, { method: 'POST', agent, signal, headers });
      call.once('socket', () => {
        isSent = true;
      });
      call.once('error', fail);
      call.once('response', (response) => {
        response.resume();
        response.once('error', fail);
        response.once('end', () => {
          const { statusCode: status = 0, headers: answered } = response;
          resolve(outcomeOf({ status, retryAfter: answered['retry-after'] }, id));
        });
      });
      call.end(JSON.stringify({ id, from: envelope.from, to: envelope.to, subject, text, html }));
    });

  return {
    name: 'courier',
    maxInFlight: MAX_IN_FLIGHT,
    send: async (message: EmailMessage, { signal }: SendContext) => {
      if (isClosed || signal.aborted) return retry('courier_closed', 'no');
      const sending = post(message, AbortSignal.any([signal, AbortSignal.timeout(limitMs)]));
      underWay.add(sending);
      const outcome = await sending;
      underWay.delete(sending);
      return outcome;
    },
    close: async () => {
      isClosed = true;
      await Promise.all(underWay);
      agent.destroy();
    },
  };
};
