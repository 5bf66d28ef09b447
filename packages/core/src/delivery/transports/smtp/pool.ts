// nodemailer's pool over Beckon's sockets. Each connection is resolved and checked before nodemailer gets it, so a
// relay's new address is used and a name that points to a private address is refused. The first mail imports
// nodemailer.

import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { SendMailOptions, SMTPPoolOptions } from 'nodemailer';
import { contained } from '../../../foundation/contained.ts';
import { connectionOptions, type RelayOptions, relaySocket } from './connection.ts';
import { foldHeaders } from './fold.ts';
import { providerIdOf } from './provider-id.ts';
import type { SmtpSettings } from './settings.ts';

/** Connections, and so concurrent mails. Source: transports, Ports and outcomes. */
export const SMTP_CONNECTIONS = 5;
/** Replacements of a connection that ends before a byte of a mail was sent. Source: transports, rule 2. */
const MAX_REPLAYS = 2;

/** Failure of a mail that was not accepted; `cause` is the error of nodemailer or the network. */
export class SmtpFailure extends Error {
  override readonly name = 'SmtpFailure';
  /** True if a byte of the mail itself was sent. */
  readonly isSent: boolean;
  constructor(cause: unknown, isSent: boolean) {
    super('The mail was not accepted.', { cause });
    this.isSent = isSent;
  }
}

export type SmtpPool = {
  /**
   * Resolves with the server's id of the mail; null if its reply has none.
   * @throws SmtpFailure; at once when the signal is aborted, and the connection is closed then
   */
  send(mail: SendMailOptions, signal: AbortSignal): Promise<string | null>;
  /** Closes every connection, even those that send a mail. */
  close(): void;
};

/** Opens no connection yet. */
export const smtpPool = async (settings: SmtpSettings, relay: RelayOptions): Promise<SmtpPool> => {
  const { createTransport } = await import('nodemailer');
  const { user, password } = settings;
  /** Sockets not yet handed to nodemailer. */
  const connecting = new Set<Socket>();
  /** Source stream of each mail, by the mail's signal. */
  const sources = new WeakMap<AbortSignal, Readable>();

  const keep = (socket: Socket): void => {
    connecting.add(socket);
    const leave = contained(() => connecting.delete(socket));
    socket.once('connect', leave).once('close', leave);
  };

  const options: SMTPPoolOptions & { readonly pool: true } = {
    ...connectionOptions(settings, relay),
    pool: true,
    ...(user === undefined ? {} : { auth: { user, pass: password ?? '' }, forceAuth: true }),
    getSocket: (_, callback) => {
      relaySocket(settings, relay, keep).then(
        (connection) => callback(null, { connection }),
        (error: unknown) => callback(error instanceof Error ? error : new Error('no connection'), false),
      );
    },
    maxConnections: SMTP_CONNECTIONS,
    maxMessages: Number.POSITIVE_INFINITY,
    maxRequeues: MAX_REPLAYS,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  const transporter = createTransport(options);
  transporter.use('stream', foldHeaders);
  transporter.use('stream', ({ data, message }, done) => {
    message.processFunc((source: Readable) => {
      if (data.signal) sources.set(data.signal, source);
      return source;
    });
    done();
  });

  return {
    send: async (mail, signal) => {
      try {
        const info = await transporter.sendMail({ ...mail, signal });
        return providerIdOf(info.response);
      } catch (error) {
        // nodemailer reads a mail only after the server accepted its DATA command.
        throw new SmtpFailure(error, sources.get(signal)?.readableDidRead ?? false);
      }
    },
    close: () => {
      transporter.close({ force: true });
      for (const socket of connecting) socket.destroy();
    },
  };
};
