import type { Socket } from 'node:net';
import { contained } from '../../primitives/contained.ts';
import { connectionOptions, type RelayOptions, relaySocket } from './connection.ts';
import type { SmtpSettings } from './settings.ts';

/**
 * Connects, logs in where a user is set, and leaves: what `verify` of nodemailer does, on a connection that can be ended.
 *
 * @throws what nodemailer or the network says; the signal's reason at once when it is aborted
 */
export const smtpLogin = async (settings: SmtpSettings, relay: RelayOptions, signal: AbortSignal): Promise<void> => {
  const { default: Connection } = await import('nodemailer/lib/smtp-connection');
  const { user, password } = settings;
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
      const done = (error?: Error | null): void => (error ? reject(error) : resolve());
      connection.once('error', reject);
      connection.once(
        'end',
        contained(() => reject(new Error('The connection ended.'))),
      );
      connection.connect((error) => {
        if (error || user === undefined) done(error);
        else connection.login({ credentials: { user, pass: password } }, done);
      });
    }).finally(() => connection.close());
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
};
