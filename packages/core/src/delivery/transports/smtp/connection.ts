import type { Socket } from 'node:net';
import type { SMTPConnectionOptions } from 'nodemailer';
import { type Guard, guardedConnect } from '../../../foundation/net/connect.ts';
import type { SmtpSettings } from './settings.ts';

/** Milliseconds. Source: transports, Transport options. */
const CONNECT_MS = 10_000;
const GREETING_MS = 10_000;
const INACTIVE_MS = 20_000;
/** Maximum bytes of one reply. Source: transports, Rules for every transport (4). */
const MAX_REPLY_BYTES = 65_536;

/** The operator's options for connections to relays. */
export type RelayOptions = {
  readonly guard: Guard;
  /** Certificate authorities to trust instead of the default ones. PEM. */
  readonly ca?: string | readonly string[] | undefined;
};

/**
 * nodemailer's options for connections to one relay. TLS is checked against the configured name, unless the settings
 * turn TLS off; then STARTTLS is not tried either, because test servers offer certificates that cannot be verified.
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
 * A connected socket to the relay, resolved and checked anew. The caller owns it. Once TLS wraps it, only the wrapper
 * may be destroyed: Node can crash if the socket is destroyed during a handshake.
 *
 * @param opened called at once with the unconnected socket, so that it can be ended early
 */
export const relaySocket = (
  { host, port }: SmtpSettings,
  { guard }: RelayOptions,
  opened: (socket: Socket) => void,
): Promise<Socket> => guardedConnect({ host, port, timeoutMs: CONNECT_MS }, guard, opened);
