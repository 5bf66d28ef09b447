import { connect, isIP, type Socket } from 'node:net';
import { contained } from '../contained.ts';
import { type AddressRules, BlockedAddressError } from './addresses.ts';
import { guardedLookup, type HostResolver } from './lookup.ts';

/** Address rules and resolver for connections to hosts chosen by tenants or third parties. */
export type Guard = { readonly rules: AddressRules; readonly resolver: HostResolver };

/** A host without the brackets that a URL puts around an IPv6 address. */
const withoutBrackets = (host: string): string => host.replace(/^\[(.*)\]$/, '$1');

/** True for a literal address that the rules forbid. Names pass: they are checked when they are resolved. */
export const isForbiddenLiteral = (host: string, { rules }: Guard): boolean =>
  isIP(withoutBrackets(host)) !== 0 && !rules.allows(withoutBrackets(host));

/**
 * Checks the peer address of a connected socket.
 *
 * @returns the error to destroy it with, or null. A socket whose peer has already gone has no address: ECONNRESET.
 */
export const peerProblem = (socket: Socket, { rules }: Guard): Error | null => {
  const { remoteAddress } = socket;
  if (remoteAddress === undefined)
    return Object.assign(new Error('The connection ended as it was made.'), { code: 'ECONNRESET' });
  return rules.allows(remoteAddress) ? null : new BlockedAddressError();
};

/**
 * Connects to a host after checking it as a literal, by its resolved addresses, and by the peer. The caller owns the
 * socket and must listen for its errors.
 *
 * @param opened called at once with the unconnected socket, so that the caller can destroy it early
 * @throws BlockedAddressError; ETIMEDOUT after `timeoutMs`; errors of DNS and of the network
 */
export const guardedConnect = (
  { host, port, timeoutMs }: { readonly host: string; readonly port: number; readonly timeoutMs: number },
  guard: Guard,
  opened: (socket: Socket) => void = () => undefined,
): Promise<Socket> =>
  new Promise((resolve, reject) => {
    if (isForbiddenLiteral(host, guard)) {
      reject(new BlockedAddressError());
      return;
    }
    const socket = connect({ host: withoutBrackets(host), port, lookup: guardedLookup(guard.rules, guard.resolver) });
    opened(socket);
    const timeoutError = Object.assign(new Error('No connection within the time for one.'), { code: 'ETIMEDOUT' });
    const timer = setTimeout(
      contained(() => socket.destroy(timeoutError)),
      timeoutMs,
    );
    socket.once('error', reject);
    socket.once(
      'close',
      contained(() => {
        clearTimeout(timer);
        reject(Object.assign(new Error('The connection was given up.'), { code: 'ECONNABORTED' }));
      }),
    );
    socket.once(
      'connect',
      contained(() => {
        clearTimeout(timer);
        const problem = peerProblem(socket, guard);
        if (problem) socket.destroy(problem);
        else resolve(socket);
      }),
    );
  });
