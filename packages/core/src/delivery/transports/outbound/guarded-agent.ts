// The HTTP client for hosts that a tenant or a third party chose: push services, webhook receivers, relays. Each
// connection is checked three times: the literal address, all addresses of the name, and the connected peer. Ignores
// proxy variables of the environment. The first call imports undici.

import { Socket } from 'node:net';
import type { Agent, buildConnector } from 'undici';
import { contained } from '../../../foundation/contained.ts';
import { addressRules, BlockedAddressError } from '../../../foundation/net/addresses.ts';
import { type Guard, isForbiddenLiteral, peerProblem } from '../../../foundation/net/connect.ts';
import { guardedLookup, type HostResolver, systemResolver } from '../../../foundation/net/lookup.ts';

/** Source of these numbers: transports, Three checks per connection. */
const CONNECT_MS = 5_000;
const CONNECTIONS = 8;
const KEEP_ALIVE_MS = 10_000;
/** A pooled socket is not resolved again, so a DNS change takes effect after at most this time. */
const MAX_KEEP_ALIVE_MS = 60_000;
const MAX_ORIGINS = 2_000;
const INACTIVITY_MS = 10_000;

/** The operator's network rules; a tenant's settings never set these. */
export type NetOptions = {
  /** Non-public networks that may be reached. */
  readonly allowCidrs?: readonly string[] | undefined;
  /** Certificate authorities to trust instead of the default ones. PEM. */
  readonly ca?: string | readonly string[] | undefined;
  readonly resolver?: HostResolver | undefined;
};

export type GuardedAgent = {
  readonly agent: Agent;
  /** Abandons pending connections to an origin, once no request waits for them. */
  abandon(origin: string): void;
};

/** The guard for hosts that a third party chose. @throws TypeError when an allowed network is invalid */
export const guardOf = ({ allowCidrs, resolver = systemResolver }: NetOptions): Guard => ({
  rules: addressRules(allowCidrs),
  resolver,
});

/**
 * Imports undici and creates an agent that checks every connection; a refused one fails with `ERR_SSRF_BLOCKED` and
 * nothing is sent on it.
 *
 * @param options `connections` per origin, default 8; `inactivityMs` without a byte, default 10,000
 * @throws TypeError when an allowed network is invalid
 */
export const guardedAgent = async (
  options: NetOptions & { readonly connections?: number | undefined; readonly inactivityMs?: number | undefined },
): Promise<GuardedAgent> => {
  const guard = guardOf(options);
  const { Agent: UndiciAgent, buildConnector: build } = await import('undici');
  const { ca } = options;
  const connector = build({
    lookup: guardedLookup(guard.rules, guard.resolver),
    timeout: CONNECT_MS,
    allowH2: false,
    ...(ca === undefined ? {} : { ca: typeof ca === 'string' ? ca : [...ca] }),
  });
  const unmade = new Map<string, Set<Socket>>();

  const begun = (origin: string, socket: Socket): void => {
    const sockets = unmade.get(origin) ?? new Set();
    unmade.set(origin, sockets.add(socket));
  };
  const made = (origin: string, socket: Socket): void => {
    const sockets = unmade.get(origin);
    sockets?.delete(socket);
    if (sockets?.size === 0) unmade.delete(origin);
  };

  const connect = (target: buildConnector.Options, callback: buildConnector.Callback): void => {
    if (isForbiddenLiteral(target.hostname, guard)) {
      queueMicrotask(contained(() => callback(new BlockedAddressError(), null)));
      return;
    }
    const origin = `${target.protocol}//${target.host ?? target.hostname}`;
    // undici's connector returns the socket, although its type omits it; without it a pending connection cannot be
    // abandoned.
    const returned: unknown = connector(target, (...[error, socket]) => {
      if (error) {
        callback(error, null);
        return;
      }
      made(origin, socket);
      const problem = peerProblem(socket, guard);
      if (!problem) {
        callback(null, socket);
        return;
      }
      socket.destroy();
      callback(problem, null);
    });
    if (!(returned instanceof Socket)) return;
    begun(origin, returned);
    returned.once(
      'close',
      contained(() => made(origin, returned)),
    );
    // With TLS the connector calls back after the handshake; the peer is checked before anything else is sent.
    returned.once(
      'connect',
      contained(() => {
        const problem = peerProblem(returned, guard);
        if (problem) returned.destroy(problem);
      }),
    );
  };

  return {
    agent: new UndiciAgent({
      connect,
      connections: options.connections ?? CONNECTIONS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: MAX_KEEP_ALIVE_MS,
      maxOrigins: MAX_ORIGINS,
      headersTimeout: options.inactivityMs ?? INACTIVITY_MS,
      bodyTimeout: options.inactivityMs ?? INACTIVITY_MS,
      allowH2: false,
    }),
    abandon: (origin) => {
      for (const socket of unmade.get(origin) ?? []) {
        socket.destroy(Object.assign(new Error('Nobody waits for this connection.'), { code: 'ECONNABORTED' }));
      }
    },
  };
};
