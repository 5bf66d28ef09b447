import type { CircuitChange } from '../../../src/delivery/providers/circuit.ts';
import type { ChannelKey, CredentialSource, OpenCircuit, Opened } from '../../../src/delivery/providers/connections.ts';
import { PROVIDERS, type ProviderName, providerFor } from '../../../src/delivery/providers/names.ts';
import type { SendContext, SendOutcome, Transport } from '../../../src/delivery/transports/port.ts';
import type { AnyMessage } from '../../../src/messaging/sends/outbox/describe-message.ts';
import { nameOfScope } from '../scopes.ts';

const nameOf = (key: ChannelKey, provider: ProviderName): string => `${nameOfScope(key)}/${key.channel}/${provider}`;

type Answer = (message: AnyMessage, context: SendContext) => SendOutcome | Promise<SendOutcome>;

/** Credentials in memory, with transports whose answers a test controls. */
export const fakeCredentials = () => {
  const held = new Map<string, { version: number; answer: Answer; maxInFlight: number; limitMs: number }>();
  const handed: AnyMessage[] = [];
  const closed: string[] = [];
  const notes: (CircuitChange | 'proven')[] = [];
  const circuits = new Map<string, OpenCircuit>();
  let loads = 0;

  const source: CredentialSource & { circuits(key: ChannelKey): Promise<readonly OpenCircuit[]> } = {
    load: async () => {
      loads += 1;
      return (key) =>
        PROVIDERS[key.channel].flatMap((provider) => {
          const known = held.get(nameOf(key, provider));
          return known ? [{ provider, version: known.version }] : [];
        });
    },
    open: async (key, { provider, version }) => {
      const name = nameOf(key, provider);
      const transport: Transport<AnyMessage, unknown> = {
        name: provider,
        maxInFlight: held.get(name)?.maxInFlight ?? 1,
        check: () => [],
        send: async (message, context) => {
          handed.push(message);
          return held.get(name)?.answer(message, context) ?? { result: 'accepted', providerId: null };
        },
        close: async () => {
          closed.push(`${name}@${version}`);
        },
      };
      // Safe: a transport that accepts any message accepts this channel's.
      return { transport, sender: null, limitMs: held.get(name)?.limitMs } as unknown as Opened<typeof key.channel>;
    },
    noteCircuit: async (key, { provider }, change) => {
      notes.push(change);
      if (change.until === null) circuits.delete(nameOf(key, provider));
      else circuits.set(nameOf(key, provider), { provider, until: change.until, code: change.code ?? '' });
    },
    noteProven: async () => {
      notes.push('proven');
    },
    required: (provider) => [`${provider}-key`],
    circuits: async (key) => PROVIDERS[key.channel].flatMap((provider) => circuits.get(nameOf(key, provider)) ?? []),
  };
  return {
    source,
    /** Messages that transports received, in order. */
    handed,
    closed,
    notes,
    loads: () => loads,
    /** Sets the provider credentials of a scope. */
    configure: (
      key: ChannelKey,
      answer: Answer = () => ({ result: 'accepted', providerId: null }),
      {
        provider = providerFor(key.channel, undefined),
        maxInFlight = 50,
        limitMs = 1_000,
      }: {
        provider?: ProviderName;
        maxInFlight?: number;
        limitMs?: number;
      } = {},
    ): void => {
      const name = nameOf(key, provider);
      held.set(name, { version: (held.get(name)?.version ?? 0) + 1, answer, maxInFlight, limitMs });
    },
    remove: (key: ChannelKey, provider = providerFor(key.channel, undefined)): void => {
      held.delete(nameOf(key, provider));
    },
  };
};
