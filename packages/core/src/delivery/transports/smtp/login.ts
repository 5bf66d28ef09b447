import type { Socket } from 'node:net';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import { contained } from '../../../foundation/contained.ts';
import { connectionOptions, type RelayOptions, relaySocket } from './connection.ts';
import type { SmtpSettings } from './settings.ts';

type Act = (connection: SMTPConnection, done: (error?: Error | null) => void) => void;

/**
 * Connects, runs `act` once TLS is up and the server has announced its extensions, then disconnects.
 *
 * @throws errors of nodemailer or the network; the signal's reason at once when it is aborted
 */
const visit = async (settings: SmtpSettings, relay: RelayOptions, signal: AbortSignal, act: Act): Promise<void> => {
  const { default: Connection } = await import('nodemailer/lib/smtp-connection');
  signal.throwIfAborted();
  let end = (): void => undefined;
  const stop = contained(() => end());
  signal.addEventListener('abort', stop, { once: true });
  try {
    const opened = (socket: Socket): void => {
      end = () => socket.destroy();
    };
    const socket = await relaySocket(settings, relay, opened);
    const connection = new Connection({ ...connectionOptions(settings, relay), connection: socket });
    await new Promise<void>((resolve, reject) => {
      end = () => {
        connection.close();
        reject(signal.reason);
      };
      connection.once('error', reject);
      connection.once(
        'end',
        contained(() => reject(new Error('The connection ended.'))),
      );
      connection.connect((error) => {
        if (error) reject(error);
        else act(connection, (failure) => (failure ? reject(failure) : resolve()));
      });
    }).finally(() => connection.close());
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
};

/**
 * Connects, logs in if a user is set, and disconnects: like nodemailer's `verify`, but the connection can be aborted.
 *
 * @throws errors of nodemailer or the network; the signal's reason at once when it is aborted
 */
export const smtpLogin = (settings: SmtpSettings, relay: RelayOptions, signal: AbortSignal): Promise<void> =>
  visit(settings, relay, signal, (connection, done) => {
    const { user, password } = settings;
    if (user === undefined) done();
    else connection.login({ credentials: { user, pass: password } }, done);
  });

/**
 * True if the server announces support for non-ASCII addresses (SMTPUTF8). nodemailer does not expose this and sends
 * such an address to any server, so a separate connection checks it.
 *
 * @throws as `smtpLogin`
 */
export const supportsUtf8 = async (
  settings: SmtpSettings,
  relay: RelayOptions,
  signal: AbortSignal,
): Promise<boolean> => {
  let response = '';
  await visit(settings, relay, signal, ({ lastServerResponse }, done) => {
    response = lastServerResponse || '';
    done();
  });
  return /^250[ -]SMTPUTF8\b/im.test(response);
};
