// nodemailer's pool over sockets of our own: each connection is looked up anew and judged before nodemailer gets it, so a
// relay that moves is followed and a name that is pointed inward is refused. nodemailer is loaded by the first mail.

import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { SendMailOptions, SMTPPoolOptions } from 'nodemailer';
import { contained } from '../../../foundation/contained.ts';
import { connectionOptions, type RelayOptions, relaySocket } from './connection.ts';
import { foldHeaders } from './fold.ts';
import { providerIdOf } from './provider-id.ts';
import type { SmtpSettings } from './settings.ts';

/** Connections, and so mails at once. Source: transports, Ports and outcomes. */
export const SMTP_CONNECTIONS = 5;
/** Connections that end before a byte of a mail was sent are replaced so often. Source: transports, rule 2. */
const MAX_REPLAYS = 2;

/** How a mail ended that was not accepted; `cause` is what nodemailer or the network said. */
export class SmtpFailure extends Error {
  override readonly name = 'SmtpFailure';
  /** True when a byte of the mail itself went out. */
  readonly isSent: boolean;
  constructor(cause: unknown, isSent: boolean) {
    super('The mail was not accepted.', { cause });
    this.isSent = isSent;
  }
}

export type SmtpPool = {
  /**
   * Resolves with the id that the server says it gave the mail, null where it names none.
   * @throws SmtpFailure; at once when the signal is aborted, and the connection is gone then
   */
  send(mail: SendMailOptions, signal: AbortSignal): Promise<string | null>;
  /** Closes every connection, those that work on a mail too. */
  close(): void;
};

/** Opens no connection yet. */
export const smtpPool = async (settings: SmtpSettings, relay: RelayOptions): Promise<SmtpPool> => {
  const { createTransport } = await import('nodemailer');
  const { user, password } = settings;
  /** Sockets that are not nodemailer's yet. */
  const connecting = new Set<Socket>();
  /** What a mail is read from; its signal names the mail. */
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
        // nodemailer reads a mail only once the server has said to go on with it.
        throw new SmtpFailure(error, sources.get(signal)?.readableDidRead ?? false);
      }
    },
    close: () => {
      transporter.close({ force: true });
      for (const socket of connecting) socket.destroy();
    },
  };
};
