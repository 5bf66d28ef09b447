import type { ChannelKey, Credential, CredentialSource } from './connections.ts';

/** Names of a channel's providers in the project's order; empty: all, in the order of `PROVIDERS`. */
export type OrderOf = (keys: readonly ChannelKey[]) => Promise<(key: ChannelKey) => readonly string[]>;

/** Credentials of the named providers, in that order; without names all of them, unchanged. Pure. */
export const inOrder = (credentials: readonly Credential[], names: readonly string[]): readonly Credential[] =>
  names.length === 0 ? credentials : names.flatMap((name) => credentials.filter(({ provider }) => provider === name));

/** Loads credentials in fallback order, without those that the project's list leaves out. */
export const loadInOrder =
  (load: CredentialSource['load'], orderOf: OrderOf): CredentialSource['load'] =>
  async (keys, isUrgent) => {
    const [found, names] = await Promise.all([load(keys, isUrgent), orderOf(keys)]);
    return (key) => inOrder(found(key), names(key));
  };
