import type { ChannelKey, Credential, CredentialSource } from './connections.ts';

/** Names of a channel's providers as its project set them, the first choice first; empty: all, in our order. */
export type OrderOf = (keys: readonly ChannelKey[]) => Promise<(key: ChannelKey) => readonly string[]>;

/** Those that are named, in that order; with no name all of them as they are. Pure. */
export const inOrder = (credentials: readonly Credential[], names: readonly string[]): readonly Credential[] =>
  names.length === 0 ? credentials : names.flatMap((name) => credentials.filter(({ provider }) => provider === name));

/** Credentials in the order in which they stand in for each other, and none that the project's list leaves out. */
export const loadInOrder =
  (load: CredentialSource['load'], orderOf: OrderOf): CredentialSource['load'] =>
  async (keys, isUrgent) => {
    const [found, names] = await Promise.all([load(keys, isUrgent), orderOf(keys)]);
    return (key) => inOrder(found(key), names(key));
  };
