import type { Socket } from 'node:net';
import type { SMTPConnectionOptions } from 'nodemailer';
import { type Guard, guardedConnect } from '../../../foundation/net/connect.ts';
import type { SmtpSettings } from './settings.ts';

/** Milliseconds. Source: transports, Transport options. */
const CONNECT_MS = 10_000;
const GREETING_MS = 10_000;
const INACTIVE_MS = 20_000;
/** Bytes of one reply. Source: transports, Rules for every transport (4). */
const MAX_REPLY_BYTES = 65_536;

/** What the operator says of connections. */
export type RelayOptions = {
  readonly guard: Guard;
  /** Authorities to trust instead of the usual ones. PEM. */
  readonly ca?: string | readonly string[] | undefined;
};

/**
 * Connections to one relay as nodemailer is told: TLS, checked against the name that was configured, unless the settings
 * say that there is none; then it is not tried either, since test servers offer certificates that nobody can check.
 */
export const connectionOptions = (
  { host, port, secure, tls }: SmtpSettings,
  { ca }: RelayOptions,
): SMTPConnectionOptions => ({
  host,
  port,
  secure,
  ...(tls === 'none' ? { ignoreTLS: true } : { requireTLS: true }),
  tls: {
    minVersion: 'TLSv1.2',
    ...(ca === undefined ? {} : { ca: typeof ca === 'string' ? ca : [...ca] }),
  },
  connectionTimeout: CONNECT_MS,
  greetingTimeout: GREETING_MS,
  socketTimeout: INACTIVE_MS,
  socketCloseTimeout: 0,
  maxResponseSize: MAX_REPLY_BYTES,
});

/**
 * A connected socket to the relay, looked up anew and judged. The caller owns it. Once TLS is wrapped around it, only
 * the wrapper may be destroyed: Node can crash when the socket goes from under a handshake.
 *
 * @param opened called at once with the socket that is not yet connected, so that it can be ended early
 */
export const relaySocket = (
  { host, port }: SmtpSettings,
  { guard }: RelayOptions,
  opened: (socket: Socket) => void,
): Promise<Socket> => guardedConnect({ host, port, timeoutMs: CONNECT_MS }, guard, opened);
