import { retryAfterMs } from '../../../foundation/net/retry-after.ts';
import type { OutboundResult } from '../outbound/guarded-agent-request.ts';
import type { SendOutcome } from '../port.ts';

/**
 * Origins that must refuse a key pair within a minute before it counts as refused: a single origin may be hostile.
 * Source: transports.
 */
const ORIGINS_THAT_CONVINCE = 3;
const REFUSALS_COUNT_MS = 60_000;
/** Maximum characters kept of a `location`. Chosen. */
const MAX_PROVIDER_ID = 500;

/** Converts answers of push services to outcomes, for one key pair. */
export type WebPushOutcomeOf = (origin: string, result: OutboundResult, now: Date) => SendOutcome;

const failed = (code: string, message: string): SendOutcome => ({ result: 'failed', code, message });

const waitOf = (header: string | string[] | undefined, now: Date): { retryAfterMs?: number } => {
  const ms = retryAfterMs(header, now);
  return ms === undefined ? {} : { retryAfterMs: ms };
};

const locationOf = (header: string | string[] | undefined): string | null =>
  typeof header === 'string' && header.length <= MAX_PROVIDER_ID ? header : null;

const unanswered = ({ code, isSent }: Extract<OutboundResult, { kind: 'none' }>): SendOutcome =>
  code === 'ERR_SSRF_BLOCKED'
    ? failed('blocked_address', 'The endpoint leads to an address that may not be connected to.')
    : { result: 'retry', code, message: 'The push service gave no answer.', processed: isSent ? 'unknown' : 'no' };

/**
 * Tracks which origins refused the key pair; an accepted message clears them, because it proves the key pair. Ignores
 * bodies. Only 404 and 410 end a subscription.
 */
export const webPushOutcomes = (): WebPushOutcomeOf => {
  const refusals = new Map<string, number>();

  const refused = (origin: string, now: number): SendOutcome => {
    for (const [other, at] of refusals) if (now - at >= REFUSALS_COUNT_MS) refusals.delete(other);
    refusals.set(origin, now);
    return refusals.size < ORIGINS_THAT_CONVINCE
      ? failed('vapid_rejected', 'The push service refused the key pair, or the request.')
      : { result: 'credential', code: 'vapid_rejected', message: 'Several push services refused the key pair.' };
  };

  return (origin, result, now) => {
    if (result.kind === 'none') return unanswered(result);
    const { status, headers } = result;
    if (status >= 200 && status < 300) {
      refusals.clear();
      return { result: 'accepted', providerId: locationOf(headers['location']) };
    }
    if (status === 404 || status === 410)
      return { ...failed('subscription_gone', 'The subscription has ended.'), address: 'dead' } as const;
    if (status === 413) return failed('payload_too_large', 'The push service does not take a payload of this size.');
    if (status === 400 || status === 401 || status === 403) return refused(origin, now.getTime());
    const again = {
      code: `http_${status}`,
      message: 'The push service is busy.',
      ...waitOf(headers['retry-after'], now),
    };
    if (status === 429) return { result: 'retry', processed: 'no', ...again };
    if (status === 408 || status >= 500) return { result: 'retry', processed: 'unknown', ...again };
    return failed(`http_${status}`, 'The push service did not take the message.');
  };
};
