// How many email sends an organization may start per minute. Sends counted at acceptance pass. Any other send takes a
// permit when its first message is about to be handed over, and waits without one. Two workers that start one send at
// the same time take two permits: the rate is never exceeded, only undershot.

import { lru } from '../../../foundation/lru.ts';
import { scopeKey } from '../../../foundation/scope.ts';
import type { MailPermits } from '../../../platform/limits/mail-permits.ts';
import type { SendsContext } from '../context.ts';
import { sendKey } from '../finalize/counters.ts';
import type { LeasedRow } from '../statements.ts';
import type { ReadContents } from './content.ts';

/**
 * Maximum wait before a message asks for a permit again, in milliseconds. Chosen: the limit may have been raised
 * meanwhile.
 */
const MAX_WAIT_MS = 900_000;
/** Organizations whose waiting times are cached. Chosen: far more than send email at once. */
const MAX_ORGS = 1_000;

/** Dependencies of the email limiter. */
type SendRateContext = Pick<SendsContext, 'storage' | 'hot' | 'clock' | 'scopes'> & {
  readonly readContents: ReadContents;
  readonly permits: MailPermits;
};

type Leased = { readonly row: LeasedRow };

/** Messages that may go, and the due times of the others. */
export type Admitted<Item> = {
  readonly going: readonly Item[];
  readonly later: readonly { readonly item: Item; readonly dueAt: Date }[];
  /** Reports which of them were handed over; permits of the others are returned. */
  handedOver(items: readonly Leased[]): Promise<void>;
};

const keyOf = ({ row }: Leased): string => sendKey(row, row.sendId);

/** Makes the function that applies the limit to messages of one scope. */
export const sendRateLimiter = ({ storage, hot, clock, scopes, readContents, permits }: SendRateContext) => {
  /**
   * By organization: the time up to which waiting sends are scheduled; later ones queue after it. Of this process only.
   */
  const tails = lru<string, number>(MAX_ORGS);

  /** Sends without a permit, in message order. */
  const uncounted = async (messages: readonly Leased[]): Promise<readonly string[]> => {
    const fresh = new Map(messages.filter(({ row }) => row.attempt === 0).map((one) => [keyOf(one), one.row]));
    if (fresh.size === 0) return [];
    const contents = await readContents([...fresh.values()]);
    // A deleted send needs no permit: nothing of it is handed over.
    const open = [...fresh].filter(([key]) => contents.has(key) && contents.get(key)?.hasMailPermit !== true);
    if (open.length === 0) return [];
    const states = await storage.select(
      hot.sendStates,
      open.map(([, row]) => [scopeKey(row), row.sendId]),
    );
    const begun = new Set(states.flatMap((one) => (one.status === 'queued' ? [] : [sendKey(one, one.id)])));
    return open.flatMap(([key]) => (begun.has(key) ? [] : [key]));
  };

  return async <Item extends Leased>(messages: readonly Item[]): Promise<Admitted<Item>> => {
    const all: Admitted<Item> = { going: messages, later: [], handedOver: async () => undefined };
    const [first] = messages;
    const waiting = first ? await uncounted(messages) : [];
    if (!first || waiting.length === 0) return all;
    const { orgId } = (await scopes.load([scopeKey(first.row)]))(scopeKey(first.row));
    const { granted, waitMs, everyMs } = await permits.take(orgId, waiting.length);
    const nowMs = clock.now().getTime();
    const lastMs = nowMs + MAX_WAIT_MS;
    // A granted permit means that the waiting sends scheduled so far are gone or have other workers.
    let nextMs = Math.max(nowMs + waitMs, granted > 0 ? 0 : (tails.get(orgId) ?? 0));
    const moments = new Map<string, Date>();
    for (const key of waiting.slice(granted)) {
      moments.set(key, new Date(Math.min(nextMs, lastMs)));
      nextMs += everyMs;
    }
    tails.set(orgId, Math.min(nextMs, lastMs));
    const begun = waiting.slice(0, granted);
    return {
      going: messages.filter((one) => !moments.has(keyOf(one))),
      later: messages.flatMap((item) => {
        const dueAt = moments.get(keyOf(item));
        return dueAt ? [{ item, dueAt }] : [];
      }),
      handedOver: async (items) => {
        const finished = new Set(items.map(keyOf));
        const free = begun.filter((key) => !finished.has(key)).length;
        if (free > 0) await permits.giveBack(orgId, free);
      },
    };
  };
};
