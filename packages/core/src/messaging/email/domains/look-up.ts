import { promises } from 'node:dns';

/** Milliseconds of one question, and how often it is asked. Source: transports, Verified sending domain. */
const TIMEOUT_MS = 1_000;
const TRIES = 2;
/** A name that is not there, or that has no such record. */
const ABSENT = new Set(['ENOTFOUND', 'ENODATA']);

/** The TXT records of a name. `unknown`: no server said whether there are any. */
export type TxtAnswer =
  | { readonly kind: 'records'; readonly records: readonly string[] }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown' };

export type LookUpTxt = (name: string) => Promise<TxtAnswer>;

/**
 * Asks DNS for TXT records, the chunks of each joined. Never rejects.
 *
 * @param servers `address` or `address:port`; absent: those of the system
 * @throws TypeError when one of the servers is none
 */
export const txtLookUp = (servers: readonly string[] | undefined): LookUpTxt => {
  const resolver = new promises.Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  if (servers !== undefined) resolver.setServers([...servers]);
  return async (name) => {
    try {
      return { kind: 'records', records: (await resolver.resolveTxt(name)).map((chunks) => chunks.join('')) };
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? `${error.code}` : '';
      return { kind: ABSENT.has(code) ? 'absent' : 'unknown' };
    }
  };
};
