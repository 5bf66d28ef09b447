import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { SMTPServerOptions } from 'smtp-server';
import { onTestFinished } from 'vitest';
import type { EmailMessage, SendOutcome } from '../../../src/delivery/transports/port.ts';
import type { SmtpSettings } from '../../../src/delivery/transports/smtp/settings.ts';
import { type SmtpOptions, smtpTransport } from '../../../src/delivery/transports/smtp/smtp.ts';
import { virtualClock } from '../../../src/foundation/clock.ts';
import { type Relay, startRelay } from './smtp-server.ts';
import { TEST_CA } from './tls/fixtures.ts';

/** Users of the relays in these tests. */
export const USERS = { first: 'password-one', second: 'password-two' };
/** The operator's options: a fixed clock, the test authority, and loopback. */
export const LOOPBACK = { clock: virtualClock('2026-03-01T12:00:00Z'), ca: TEST_CA, allowCidrs: ['127.0.0.0/8'] };

/** Settings for a relay of this machine. `wrong` is an unknown user. */
export const settingsFor = (port: number, user: keyof typeof USERS | 'wrong' = 'first'): SmtpSettings => ({
  host: '127.0.0.1',
  port,
  secure: false,
  user,
  password: user === 'wrong' ? 'password-wrong' : USERS[user],
});

/** A relay that ends with the test. */
export const relayForTest = async (options?: SMTPServerOptions): Promise<Relay> => {
  const relay = await startRelay(USERS, options);
  onTestFinished(() => relay.stop());
  return relay;
};

/** A server with a script: the greeting first, then a response to each input. Ends with the test. */
export const scriptedServer = async (greeting: string, answers: readonly string[] = []) => {
  const got: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    const left = [...answers];
    socket
      .on('error', () => undefined)
      .on('data', (data) => {
        got.push(data.toString());
        socket.write(left.shift() ?? '500 no\r\n');
      });
    socket.write(greeting);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  const { port } = server.address() as AddressInfo; // A TCP server that listens has an AddressInfo.
  return { port, got, hits: () => sockets.size };
};

/** A transport to a port of this machine that ends with the test. */
export const smtpForTest = (port: number, options: Partial<SmtpOptions> = {}, settings: Partial<SmtpSettings> = {}) => {
  const all = { ...settingsFor(port), ...settings };
  const transport = smtpTransport(all, { ...LOOPBACK, allowedPorts: [port], ...options });
  onTestFinished(() => transport.close());
  return {
    send: (message: EmailMessage): Promise<SendOutcome> =>
      transport.send(message, { signal: new AbortController().signal, attempt: 1 }),
    probe: (): Promise<SendOutcome> | undefined => transport.probe?.(all),
  };
};
