import type { Missing, ProviderConnections } from '../../../delivery/providers/connections.ts';
import type { Channel } from '../../../foundation/channel.ts';
import type { Platform } from '../../../foundation/device-platform.ts';
import { type InScope, scopeKey, scopeOf } from '../../../foundation/scope.ts';
import type { Emitter, LoadedEmitter } from '../../../people/events/emit.ts';
import { type Address, type Channels, recipientKey } from '../channel.ts';
import { MAX_INLINE_ADDRESSES, type Recipients, type SendRequest } from '../schema.ts';

/** A send to be planned, with the recipients whose addresses acceptance needs. */
export type LookupRequest = { readonly scope: InScope; readonly channel: Channel; readonly recipients: Recipients };

/** What planning needs besides profiles, read for several sends together. */
export type SendLookup = {
  /** Addresses by `recipientKey`; null: too many to expand at acceptance. */
  addresses(channel: Channel): ReadonlyMap<string, readonly Address[]> | null;
  /**
   * What is not configured for the channel in this scope; null: sending is possible. `platforms`: those of all known
   * addresses; null: unknown.
   */
  missing(scope: InScope, channel: Channel, platforms: readonly Platform[] | null): Missing | null;
  /** Raises events in the scopes of these sends. */
  readonly emission: LoadedEmitter;
  /** `missing` for the addresses of a request that were read. Source: contract, 412 for push. */
  refusal(scope: InScope, request: SendRequest): Missing | null;
};

/** Reads what planning needs with at most two statements per channel, whatever the number of sends. */
export type LookUpSends = (wants: readonly LookupRequest[]) => Promise<SendLookup>;

const NO_ADDRESSES: ReadonlyMap<string, readonly Address[]> = new Map();

export const sendLookup =
  (
    channels: Channels,
    connections: Pick<ProviderConnections, 'missing'>,
    emitter: Pick<Emitter, 'load'>,
  ): LookUpSends =>
  async (wants) => {
    const keys = new Map(
      wants.map(({ scope, channel }) => [`${scopeKey(scope)}/${channel}`, { ...scopeOf(scope), channel }]),
    );
    const load = async (channel: Channel, requests: readonly LookupRequest[]) => {
      const targets = new Map(
        requests
          .flatMap(({ scope, recipients }) => recipients.map((recipient) => ({ ...scopeOf(scope), recipient })))
          .map((one) => [recipientKey(one), one]),
      );
      const { load: read } = channels[channel];
      if (!read || targets.size === 0) return NO_ADDRESSES;
      const loaded = await read([...targets.values()], { after: null, limit: MAX_INLINE_ADDRESSES });
      return loaded === null || loaded.next !== null ? null : loaded.found;
    };
    const [missing, emission, found] = await Promise.all([
      connections.missing([...keys.values()]),
      emitter.load(wants.map(({ scope }) => scope)),
      Promise.all(
        [...Map.groupBy(wants, ({ channel }) => channel)].map(
          async ([channel, requests]) => [channel, await load(channel, requests)] as const,
        ),
      ),
    ]);
    const byChannel = new Map(found);
    const addresses: SendLookup['addresses'] = (channel) => {
      const lookup = byChannel.get(channel);
      return lookup === undefined ? NO_ADDRESSES : lookup;
    };
    /** Platforms of the addresses that were read; null: none known. */
    const platformsOf = (scope: InScope, { channel, content, recipients }: SendRequest): readonly Platform[] | null => {
      const platforms = recipients.flatMap((recipient) => {
        const target = { ...scopeOf(scope), recipient };
        const loaded = addresses(channel)?.get(recipientKey(target)) ?? [];
        const reached = channels[channel].addressesOf({ target, content, profile: undefined, loaded });
        return 'none' in reached ? [] : reached.flatMap(({ facts }) => facts.platform ?? []);
      });
      return platforms.length === 0 ? null : [...new Set(platforms)];
    };
    const lacks: SendLookup['missing'] = (scope, channel, platforms) =>
      missing({ ...scopeOf(scope), channel }, platforms);
    return {
      addresses,
      missing: lacks,
      emission,
      refusal: (scope, request) => lacks(scope, request.channel, platformsOf(scope, request)),
    };
  };
