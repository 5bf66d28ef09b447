// Which rules concern a message, and whom it counts for. Pure.

import type { Channel } from '../../foundation/channel.ts';
import { sha256Hex } from '../../foundation/hash.ts';
import { userIdOf } from '../../foundation/person.ts';
import type { ChannelPort } from '../sends/channel.ts';
import type { Reserving } from '../sends/deliver/reservations.ts';
import { type FrequencyCap, UNIT_MS } from '../settings/schema.ts';

type Rule = FrequencyCap['rules'][number];

/**
 * One rule. It is known by its channel, its class and the length of its window, wherever it stands in the list: one whose
 * `max` changes keeps what it has counted.
 */
export type CapRule = Rule & { readonly id: string; readonly lastsMs: number };

/** What caps ask of channels. */
export type CountedChannels = {
  readonly [C in Channel]: Pick<ChannelPort<never>, 'addressKey' | 'mainAddress'>;
};

const known = new WeakMap<FrequencyCap, readonly CapRule[]>();
const byKind = new WeakMap<FrequencyCap, Map<string, readonly CapRule[]>>();
const NO_RULES: readonly CapRule[] = [];

/** The rules that are on; of several that are the same but for `max` the strictest. Throws nothing. */
export const rulesOf = (cap: FrequencyCap): readonly CapRule[] => {
  if (!cap.enabled) return [];
  const found = known.get(cap);
  if (found) return found;
  const byId = new Map<string, CapRule>();
  for (const rule of cap.rules) {
    const lastsMs = rule.per.n * UNIT_MS[rule.per.unit];
    const id = `${rule.channel}/${rule.class}/${lastsMs}`;
    const other = byId.get(id);
    if (!other || rule.max < other.max) byId.set(id, { ...rule, id, lastsMs });
  }
  const rules = [...byId.values()];
  known.set(cap, rules);
  return rules;
};

/** The rules that count a channel. Throws nothing. */
export const rulesOfChannel = (cap: FrequencyCap, channel: Channel): readonly CapRule[] =>
  rulesOf(cap).filter((rule) => rule.channel === 'all' || rule.channel === channel);

/** The rules that a message stands under. Throws nothing. */
export const rulesFor = ({ row, send, settings }: Reserving): readonly CapRule[] => {
  const { frequencyCap: cap } = settings;
  if (send === null || !cap.enabled) return NO_RULES;
  const { channel } = row;
  const { class: kind } = send;
  // Asked of every message, and the same for all of a kind.
  const kinds = byKind.get(cap) ?? new Map<string, readonly CapRule[]>();
  byKind.set(cap, kinds);
  const name = `${channel}/${kind}`;
  const rules =
    kinds.get(name) ?? rulesOfChannel(cap, channel).filter((rule) => rule.class === 'all' || rule.class === kind);
  kinds.set(name, rules);
  return rules;
};

/** Somebody of whom no more is known than an address, which itself is not kept. Throws nothing. */
export const byAddress = (key: string): string => `x:${sha256Hex(key).slice(0, 32)}`;

/** What tells whom a message is for. */
type Addressed = Pick<Reserving['row'], 'channel' | 'person' | 'tokenId' | 'address' | 'role'>;

/**
 * Whom a message counts for: its user, or the device where no user is known of it, or the address. Copies of a mail count
 * for whom it is to. Null: nobody. Throws nothing.
 *
 * @param content of the send; null: not known, and copies count for nobody
 */
export const countedFor = (
  { channel, person, tokenId, address, role }: Addressed,
  content: Readonly<Record<string, unknown>> | null,
  channels: CountedChannels,
): string | null => {
  const port = channels[channel];
  if (role !== 'to') {
    const main = content === null ? null : (port.mainAddress?.(content) ?? null);
    return main === null ? null : byAddress(port.addressKey(main));
  }
  if (person !== null && userIdOf(person) !== null) return person;
  if (tokenId !== null) return `t:${tokenId}`;
  return address === null ? null : byAddress(port.addressKey(address));
};
