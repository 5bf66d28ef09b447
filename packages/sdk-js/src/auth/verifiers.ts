import type { Globals } from '../globals.ts';
import type { Slots } from '../slots.ts';
import { base64url } from './encoding.ts';

// PKCE (RFC 7636). The page keeps its newest verifiers, because several flows may be open at once: a link in an email and
// a provider in another tab. The service names the flow by the start of its challenge.

/** Source: authentication design, Social and code exchange. */
const KEPT = 10;
const VERIFIER_BYTES = 32;
/** Characters of the challenge in a URL. Source: authentication design, Social and code exchange. */
const NAME_LENGTH = 8;
const SLOT = 'verifiers';

export type Purpose = 'signup' | 'link' | 'social' | 'identity';
type Entry = readonly [name: string, verifier: string, purpose: Purpose];

export const makeVerifiers = (g: Globals, slots: Slots) => {
  const list = (): readonly Entry[] => {
    try {
      // Safe: only `create` writes it.
      return JSON.parse(slots.get(SLOT) ?? '[]') as Entry[];
    } catch {
      return [];
    }
  };
  return {
    /** Makes a verifier, keeps it, and returns its challenge. */
    create: async (purpose: Purpose): Promise<string> => {
      const verifier = base64url(g.crypto.getRandomValues(new Uint8Array(VERIFIER_BYTES)));
      const challenge = base64url(await g.crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier)));
      const entry: Entry = [challenge.slice(0, NAME_LENGTH), verifier, purpose];
      slots.set(SLOT, JSON.stringify([entry, ...list()].slice(0, KEPT)));
      return challenge;
    },
    /** The verifier with the name `c`; without a name, the newest one of the purpose. */
    pick: (c: string | undefined, purpose: Purpose): Entry | undefined =>
      list().find((entry) => (c ? entry[0] === c : entry[2] === purpose)),
  };
};
