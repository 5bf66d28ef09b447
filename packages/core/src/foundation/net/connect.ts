import { connect, isIP, type Socket } from 'node:net';
import { contained } from '../contained.ts';
import { type AddressRules, BlockedAddressError } from './addresses.ts';
import { guardedLookup, type HostResolver } from './lookup.ts';

/** What a connection to a host of somebody else's choice is judged by. */
export type Guard = { readonly rules: AddressRules; readonly resolver: HostResolver };

/** A host without the brackets that a URL puts around an IPv6 address. */
const bare = (host: string): string => host.replace(/^\[(.*)\]$/, '$1');

/** A literal address that may not be connected to; names pass, they are judged when they are looked up. */
export const isRefusedLiteral = (host: string, { rules }: Guard): boolean =>
  isIP(bare(host)) !== 0 && !rules.allows(bare(host));

/**
 * Judges where a socket really led to, once it is connected.
 *
 * @returns the error to end it with, or null. A peer that is gone already has no address: ECONNRESET.
 */
export const peerProblem = (socket: Socket, { rules }: Guard): Error | null => {
  const { remoteAddress } = socket;
  if (remoteAddress === undefined)
    return Object.assign(new Error('The connection ended as it was made.'), { code: 'ECONNRESET' });
  return rules.allows(remoteAddress) ? null : new BlockedAddressError();
};

/**
 * Connects to a host after judging it: as a literal, by its addresses, and by the peer. The caller owns the socket and
 * has to listen for its errors.
 *
 * @param opened called at once with the socket that is not yet connected, so that it can be ended early
 * @throws BlockedAddressError; ETIMEDOUT after `timeoutMs`; whatever DNS or the network says
 */
export const guardedConnect = (
  { host, port, timeoutMs }: { readonly host: string; readonly port: number; readonly timeoutMs: number },
  guard: Guard,
  opened: (socket: Socket) => void = () => undefined,
): Promise<Socket> =>
  new Promise((resolve, reject) => {
    if (isRefusedLiteral(host, guard)) {
      reject(new BlockedAddressError());
      return;
    }
    const socket = connect({ host: bare(host), port, lookup: guardedLookup(guard.rules, guard.resolver) });
    opened(socket);
    const late = Object.assign(new Error('No connection within the time for one.'), { code: 'ETIMEDOUT' });
    const timer = setTimeout(
      contained(() => socket.destroy(late)),
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
