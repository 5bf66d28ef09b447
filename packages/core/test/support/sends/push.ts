import type { PushMessage } from '../../../src/delivery/transports/port.ts';
import type { Address, ChannelPort, Loaded } from '../../../src/messaging/sends/channel.ts';
import { recipientKey } from '../../../src/messaging/sends/channel.ts';
import type { Listed } from '../../../src/messaging/sends/listed.ts';
import { CHUNK_ADDRESSES, type Recipient } from '../../../src/messaging/sends/schema.ts';

/** Push over tokens in memory: `tokens` by userId, in order. */
export const fakePush = (tokens: Map<string, Address[]>) => {
  const loads: { requested: number; after: string | null; limit: number }[] = [];
  const inactive = new Set<string>();
  /** Suppression list entries by address; other addresses have none. */
  const listed = new Map<string, readonly Listed[]>();
  const port: ChannelPort<PushMessage> = {
    load: async (requested, { after, limit }): Promise<Loaded | null> => {
      loads.push({ requested: requested.length, after, limit });
      const lists = requested.map((one) => {
        const all = one.recipient.kind === 'user' ? (tokens.get(one.recipient.userId) ?? []) : [];
        const from = after === null ? 0 : all.findIndex(({ address }) => address === after) + 1;
        return [recipientKey(one), all.slice(from)] as const;
      });
      const total = lists.reduce((sum, [, list]) => sum + list.length, 0);
      if (total <= limit) return { found: new Map(lists), next: null };
      const [only] = lists;
      if (lists.length > 1 || !only) return null;
      const shown = only[1].slice(0, limit);
      return { found: new Map([[only[0], shown]]), next: shown.at(-1)?.address ?? null };
    },
    count: async (_, recipients) => {
      const of = (one: Recipient) => (one.kind === 'user' ? (tokens.get(one.userId) ?? []) : []);
      const all = recipients.flatMap(of);
      return {
        total: all.length,
        platforms: [...new Set(all.flatMap(({ facts }) => facts.platform ?? []))],
        large: recipients.filter((one) => of(one).length > CHUNK_ADDRESSES),
      };
    },
    addressesOf: ({ target: { recipient }, loaded }) => {
      if (recipient.kind === 'address')
        return [{ address: recipient.address, name: null, facts: { platform: 'android' } }];
      return loaded.length > 0 ? loaded : { none: 'no_token' };
    },
    addressKey: (address) => address,
    states: async (messages) =>
      new Map(
        messages
          .filter(({ address }) => inactive.has(address) || listed.has(address))
          .map(({ id, address }) => {
            const unusable = inactive.has(address) ? ('token_inactive' as const) : null;
            return [id, { unusable, timezone: null, locale: null, listed: listed.get(address) ?? [] }] as const;
          }),
      ),
    render: (_, { messageId, sendId, to, now }) => ({
      verdict: 'pass',
      message: {
        messageId,
        sendId,
        platform: to.facts.platform ?? 'android',
        token: to.address,
        apnsEnvironment: to.facts.apnsEnvironment ?? null,
        title: 't',
        body: 'b',
        data: {},
        actions: [],
        criticalAlert: null,
        interruptionLevel: null,
        collapseKey: null,
        threadId: null,
        ttlSeconds: 60,
        priority: 'high',
        badge: null,
        sound: null,
        imageUrl: null,
        now,
      },
    }),
  };
  return { port, loads, inactive, listed };
};
