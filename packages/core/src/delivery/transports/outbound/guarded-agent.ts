// The HTTP client for every host that a tenant or a stranger chose: push services, webhook receivers, relays. Each
// connection is judged three times: as a literal, by all addresses of its name, and by its peer once it is made. Proxy
// variables of the environment mean nothing to it. undici is loaded by the first call.

import { Socket } from 'node:net';
import type { Agent, buildConnector } from 'undici';
import { contained } from '../../../foundation/contained.ts';
import { addressRules, BlockedAddressError } from '../../../foundation/net/addresses.ts';
import { type Guard, isRefusedLiteral, peerProblem } from '../../../foundation/net/connect.ts';
import { guardedLookup, type HostResolver, systemResolver } from '../../../foundation/net/lookup.ts';

/** Source of these numbers: transports, Three checks per connection. */
const CONNECT_MS = 5_000;
const CONNECTIONS = 8;
const KEEP_ALIVE_MS = 10_000;
/** A pooled socket is not resolved again: this is how long a name may have moved without our seeing it. */
const MAX_KEEP_ALIVE_MS = 60_000;
const MAX_ORIGINS = 2_000;
const INACTIVITY_MS = 10_000;

/** The operator's word on connections; a tenant's settings never set these. */
export type NetOptions = {
  /** Networks that may be connected to although they are not public. */
  readonly allowCidrs?: readonly string[] | undefined;
  /** Authorities to trust instead of the usual ones. PEM. */
  readonly ca?: string | readonly string[] | undefined;
  readonly resolver?: HostResolver | undefined;
};

export type GuardedAgent = {
  readonly agent: Agent;
  /** Gives up connections to an origin that are still being made. For when nobody waits for them any more. */
  abandon(origin: string): void;
};

/** How hosts of somebody else's choice are judged. @throws TypeError when an allowed network is none */
export const guardOf = ({ allowCidrs, resolver = systemResolver }: NetOptions): Guard => ({
  rules: addressRules(allowCidrs),
  resolver,
});

/**
 * Loads undici and makes an agent whose connections are all judged; a refused one fails with `ERR_SSRF_BLOCKED` and
 * nothing is sent on it.
 *
 * @param options `connections` at once per origin, 8 unless told; `inactivityMs` without a byte, 10,000 unless told
 * @throws TypeError when an allowed network is none
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
    if (isRefusedLiteral(target.hostname, guard)) {
      queueMicrotask(contained(() => callback(new BlockedAddressError(), null)));
      return;
    }
    const origin = `${target.protocol}//${target.host ?? target.hostname}`;
    // undici's connector returns the socket although its type does not say so; without it there is none to give up.
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
    // With TLS the connector calls back after the handshake; the peer is judged before anything more is said to it.
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
