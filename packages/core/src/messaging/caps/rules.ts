// Selects the frequency caps that apply to a message, and the user or address that each counts. Pure.

import type { Channel } from '../../foundation/channel.ts';
import { sha256Hex } from '../../foundation/hash.ts';
import { userIdOf } from '../../foundation/person.ts';
import type { ChannelPort } from '../sends/channel.ts';
import type { Reserving } from '../sends/deliver/reservations.ts';
import { type FrequencyCap, UNIT_MS } from '../settings/schema.ts';

type Rule = FrequencyCap['rules'][number];

/**
 * A rule, identified by channel, class and window, whatever its position in the list: a rule whose `max` changes keeps
 * its counts.
 */
export type CapRule = Rule & { readonly id: string; readonly lastsMs: number };

/** The functions that caps need of channels. */
export type CountedChannels = {
  readonly [C in Channel]: Pick<ChannelPort<never>, 'addressKey' | 'mainAddress'>;
};

const cachedRules = new WeakMap<FrequencyCap, readonly CapRule[]>();
const byKind = new WeakMap<FrequencyCap, Map<string, readonly CapRule[]>>();
const NO_RULES: readonly CapRule[] = [];

/** The active rules; of rules that differ only in `max`, the strictest. Throws nothing. */
export const rulesOf = (cap: FrequencyCap): readonly CapRule[] => {
  if (!cap.enabled) return [];
  const found = cachedRules.get(cap);
  if (found) return found;
  const byId = new Map<string, CapRule>();
  for (const rule of cap.rules) {
    const lastsMs = rule.per.n * UNIT_MS[rule.per.unit];
    const id = `${rule.channel}/${rule.class}/${lastsMs}`;
    const other = byId.get(id);
    if (!other || rule.max < other.max) byId.set(id, { ...rule, id, lastsMs });
  }
  const rules = [...byId.values()];
  cachedRules.set(cap, rules);
  return rules;
};

/** The rules of a channel. Throws nothing. */
export const rulesOfChannel = (cap: FrequencyCap, channel: Channel): readonly CapRule[] =>
  rulesOf(cap).filter((rule) => rule.channel === 'all' || rule.channel === channel);

/** The rules of a message. Throws nothing. */
export const rulesFor = ({ row, send, settings }: Reserving): readonly CapRule[] => {
  const { frequencyCap: cap } = settings;
  if (send === null || !cap.enabled) return NO_RULES;
  const { channel } = row;
  const { class: kind } = send;
  // Evaluated for every message; cached by kind, because messages of one kind share the result.
  const kinds = byKind.get(cap) ?? new Map<string, readonly CapRule[]>();
  byKind.set(cap, kinds);
  const name = `${channel}/${kind}`;
  const rules =
    kinds.get(name) ?? rulesOfChannel(cap, channel).filter((rule) => rule.class === 'all' || rule.class === kind);
  kinds.set(name, rules);
  return rules;
};

/** Key of a recipient known only by address; the address is hashed. Throws nothing. */
export const byAddress = (key: string): string => `x:${sha256Hex(key).slice(0, 32)}`;

/** The fields that identify a recipient. */
type Addressed = Pick<Reserving['row'], 'channel' | 'person' | 'tokenId' | 'address' | 'role'>;

/**
 * The key for which a message counts: its user, else its device, else its address. A copy counts for the original's
 * recipient. Null: none. Throws nothing.
 *
 * @param content of the send; null: unknown, and copies count for no one
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
