import { promises } from 'node:dns';

/** Time limit of a DNS query in milliseconds, and number of attempts. Source: transports, Verified sending domain. */
const TIMEOUT_MS = 1_000;
const TRIES = 2;
/** The name does not exist, or has no such record. */
const ABSENT = new Set(['ENOTFOUND', 'ENODATA']);

/** TXT records of a name. `unknown`: no server answered. */
export type TxtAnswer =
  | { readonly kind: 'records'; readonly records: readonly string[] }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown' };

export type LookUpTxt = (name: string) => Promise<TxtAnswer>;

/**
 * Makes a TXT lookup that joins the chunks of each record. Never rejects.
 *
 * @param servers `address` or `address:port`; absent: those of the system
 * @throws TypeError when a server is invalid
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
