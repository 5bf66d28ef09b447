// How many sends of mail an org may begin a minute. What was counted as it was asked for passes; of all others a send takes
// a place as its first message is about to be handed over, and waits where there is none. Two workers that begin one send at
// the same moment take two: there are never more than that, only less.

import { lru } from '../../../foundation/lru.ts';
import { scopeKey } from '../../../foundation/scope.ts';
import type { MailPermits } from '../../../platform/limits/mail-permits.ts';
import type { SendsContext } from '../context.ts';
import { sendKey } from '../finalize/counters.ts';
import type { LeasedRow } from '../statements.ts';
import type { ReadContents } from './content.ts';

/** After so long a message asks again at the latest, in milliseconds; ours: the org may have more places by then. */
const MAX_WAIT_MS = 900_000;
/** Orgs whose lanes are remembered; ours. */
const MAX_ORGS = 1_000;

/** What the limiter of mail uses. */
type SendRateContext = Pick<SendsContext, 'storage' | 'hot' | 'clock' | 'scopes'> & {
  readonly readContents: ReadContents;
  readonly permits: MailPermits;
};

type Leased = { readonly row: LeasedRow };

/** Which messages may go, and when the others come again. */
export type Admitted<Item> = {
  readonly going: readonly Item[];
  readonly later: readonly { readonly item: Item; readonly dueAt: Date }[];
  /** Told which of those that may go were handed over: places of the others are free again. */
  handedOver(items: readonly Leased[]): Promise<void>;
};

const keyOf = ({ row }: Leased): string => sendKey(row, row.sendId);

/** Makes the function that lets messages of one scope into their lane. */
export const sendRateLimiter = ({ storage, hot, clock, scopes, readContents, permits }: SendRateContext) => {
  /** By org, until when what waits has its moments: what comes later stands behind it. In this process alone. */
  const tails = lru<string, number>(MAX_ORGS);

  /** Sends that have no place yet, in the order of their messages. */
  const uncounted = async (messages: readonly Leased[]): Promise<readonly string[]> => {
    const fresh = new Map(messages.filter(({ row }) => row.attempt === 0).map((one) => [keyOf(one), one.row]));
    if (fresh.size === 0) return [];
    const contents = await readContents([...fresh.values()]);
    // A send that is gone takes no place: nothing of it is handed over.
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
    // Where there was a place, those who have the moments behind it are gone, or somebody else's.
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
