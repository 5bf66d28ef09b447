// A relay that requires STARTTLS and a login. The recipient's local part determines its behavior: `550+5.1.1` rejects
// the recipient with that reply and enhanced code; a sender's local part of that form rejects the sender, and
// `data-554+5.6.0` the email itself.

import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';
import { SMTPConnection } from 'smtp-server/lib/smtp-connection.js';
import type { EmailMessage } from '../../../src/delivery/transports/port.ts';
import type { Behaviour, Oddity, StandIn } from '../../../src/delivery/transports/testing/stand-in.ts';
import { splitMail, textOfMail } from './mime-reader.ts';
import { TEST_CERT, TEST_KEY } from './tls/fixtures.ts';

const DOMAIN = 'private-domain.test';
const HUGE_BYTES = 10_000_000;
const REPLY = /^(?<at>data-)?(?<code>[45]\d\d)(?:\+(?<enhanced>[\d.]+))?$/;

/** One accepted email, as it came over the wire. */
export type ReceivedMail = {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
  /** By name in lower case, unfolded and decoded. */
  readonly headers: ReadonlyMap<string, string>;
  /** Its first text part. */
  readonly text: string;
  readonly user: string;
  readonly connection: string;
};

export type Relay = StandIn<EmailMessage> & {
  readonly port: number;
  readonly received: readonly ReceivedMail[];
  /** Senders in MAIL FROM, accepted or not. */
  readonly senders: readonly string[];
  /** Connections and login attempts so far. */
  counts(): { readonly connections: number; readonly logins: number };
  mail(fields?: Partial<EmailMessage>): EmailMessage;
  /** An email to that local part. */
  to(local: string, fields?: Partial<EmailMessage>): EmailMessage;
  /** Ends idle connections without a message, as a relay does after a while. */
  dropIdle(): void;
};

/** Greets at once; the library waits 100 ms for clients that speak first. */
class QuickConnection extends SMTPConnection {
  override init(): void {
    this._setListeners(() => this.connectionReady());
  }
}

class QuickServer extends SMTPServer {
  override connect(...[socket, options]: Parameters<SMTPServer['connect']>): void {
    const connection = new QuickConnection(this, socket, options);
    this.connections.add(connection);
    // Handshakes and connections that a client aborted.
    connection.on('error', () => undefined);
    connection.init();
  }
}

type Done = (error?: Error | null, message?: string) => void;

const localOf = (address: string): string => address.slice(0, address.lastIndexOf('@'));

const refusal = (code: string | undefined, enhanced = ''): Error =>
  Object.assign(new Error(`${enhanced} no, not ${DOMAIN}`.trim()), { responseCode: Number(code) });

/** The rejection that a local part requests, of the recipient or of the email. */
const refusalBy = (local: string, at: 'data-' | undefined): Error | null => {
  const groups = REPLY.exec(local)?.groups;
  return groups && groups['at'] === at ? refusal(groups['code'], groups['enhanced']) : null;
};

/**
 * Starts it on a free port of 127.0.0.1, with the certificate of the test authority.
 *
 * @param users password by user; others are rejected
 * @param options of `smtp-server`, override the defaults
 * @param takesMs minimum duration of an accepted email, in milliseconds; called for each
 */
export const startRelay = async (
  users: Readonly<Record<string, string>> = {},
  options: SMTPServerOptions = {},
  takesMs: () => number = () => 0,
): Promise<Relay> => {
  const received: ReceivedMail[] = [];
  const senders: string[] = [];
  const sockets = new Map<number, Socket>();
  const busy = new Set<string>();
  let [connections, logins, peak] = [0, 0, 0];
  let isSilent = false;
  let isRestarting = false;

  const connectionOf = ({ id }: SMTPServerSession) => [...server.connections].find(({ session }) => session.id === id);
  // The outermost socket: Node can crash when the one below is destroyed in the middle of a handshake.
  const drop = (session: SMTPServerSession): void => void connectionOf(session)?._socket.destroy();
  const goodbye = (session: SMTPServerSession): void => connectionOf(session)?.send(421, 'restarting');

  const read = async (stream: Readable, session: SMTPServerSession): Promise<void> => {
    const chunks: Buffer[] = await stream.toArray();
    const raw = Buffer.concat(chunks).toString('latin1');
    const { mailFrom, rcptTo } = session.envelope;
    const [headers] = splitMail(raw);
    received.push({
      from: mailFrom ? mailFrom.address : '',
      to: rcptTo.map(({ address }) => address),
      raw,
      headers,
      text: textOfMail(raw),
      user: String(session.user ?? ''),
      connection: String(session.remotePort),
    });
  };
  // An email that breaks off with its connection is not stored.
  const take = (stream: Readable, session: SMTPServerSession, then: () => void): void =>
    void read(stream, session).then(then, () => undefined);

  const atData: Partial<Record<string, (stream: Readable, session: SMTPServerSession, done: Done) => void>> = {
    hang: (stream) => void stream.resume(),
    'hang-body': (stream) => void stream.resume(),
    drop: (stream, session) => void stream.resume().once('end', () => drop(session)),
    'reset-midway': (stream, session) => void stream.once('data', () => drop(session)),
    garbage: (stream, session, done) => take(stream, session, () => done(null, '\u0001{"<html> \u00ff')),
    empty: (stream, session, done) => take(stream, session, () => done(null, '')),
    huge: (stream, session, done) => take(stream, session, () => done(null, 'x'.repeat(HUGE_BYTES))),
  };

  const server = new QuickServer({
    cert: TEST_CERT,
    key: TEST_KEY,
    disableReverseLookup: true,
    logger: false,
    onAuth: ({ username = '', password }, _, done) => {
      logins += 1;
      if (Object.hasOwn(users, username) && users[username] === password) done(null, { user: username });
      else done(Object.assign(new Error(`no ${username}`), { responseCode: username.startsWith('busy') ? 454 : 535 }));
    },
    onMailFrom: ({ address }, session, done) => {
      senders.push(address);
      busy.add(session.id);
      peak = Math.max(peak, busy.size);
      const error = refusalBy(localOf(address), undefined);
      if (error) busy.delete(session.id);
      setImmediate(() => done(error));
    },
    onRcptTo: ({ address }, session, done) => {
      const local = localOf(address);
      const error = refusalBy(local, undefined);
      if (error) busy.delete(session.id);
      if (local === 'reset-early') drop(session);
      else setImmediate(() => done(error));
    },
    onData: (stream, session, done) => {
      const local = localOf(session.envelope.rcptTo[0]?.address ?? '');
      const finish: Done = (error, message) => {
        busy.delete(session.id);
        done(error, message);
      };
      const error = refusalBy(local, 'data-');
      const act = atData[local];
      if (act) act(stream, session, finish);
      else if (error) stream.resume().once('end', () => finish(error));
      else
        take(stream, session, () => {
          const accept = (): void => {
            finish(null, 'accepted');
            if (isRestarting) goodbye(session);
          };
          const ms = takesMs();
          if (ms > 0) setTimeout(accept, ms);
          else accept();
        });
    },
    // The plain socket under TLS does not report its end.
    onClose: ({ id, remotePort }) => {
      sockets.delete(remotePort);
      busy.delete(id);
    },
    ...options,
  });
  // Handshakes and connections that a client aborted.
  server.on('error', () => undefined);

  const keep = (socket: Socket): void => {
    const { remotePort = 0 } = socket;
    connections += 1;
    sockets.set(remotePort, socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(remotePort));
  };
  const listen = async (on: Server, port: number): Promise<Server> => {
    on.on('connection', keep);
    await new Promise<void>((resolve) => on.listen(port, '127.0.0.1', resolve));
    return on;
  };
  let listener = await listen(server.server, 0);
  const { port } = listener.address() as AddressInfo; // A TCP server that listens has an AddressInfo.

  const idle = () => [...server.connections].filter(({ session }) => session.user && !busy.has(session.id));

  const vanish = async (): Promise<void> => {
    for (const connection of server.connections) connection._socket.destroy();
    if (isSilent) for (const socket of sockets.values()) socket.destroy();
    await new Promise<void>((resolve) => listener.close(() => resolve()));
  };

  const mail = (fields: Partial<EmailMessage> = {}): EmailMessage => ({
    messageId: 'm-1',
    sendId: 's-1',
    envelope: { from: 'news@shop.test', to: `accept@${DOMAIN}` },
    from: { email: 'news@shop.test', name: 'Shop' },
    to: { email: `accept@${DOMAIN}`, name: null },
    cc: [],
    replyTo: null,
    subject: 'Hello',
    text: 'Hello',
    html: null,
    headers: { 'Message-ID': `<${fields.messageId ?? 'm-1'}@shop.test>`, 'X-Service-Send-Id': 's-1' },
    attachments: [],
    ...fields,
  });
  const to = (local: string, fields: Partial<EmailMessage> = {}): EmailMessage => {
    const email = `${local}@${DOMAIN}`;
    return mail({ envelope: { from: 'news@shop.test', to: email }, to: { email, name: null }, ...fields });
  };

  const locals: Partial<Record<Behaviour | Oddity, string>> = {
    bounce: '550+5.1.1',
    refuse: '550+5.7.1',
    throttle: '451+4.7.1',
  };
  const idOf = ({ headers }: ReceivedMail): string => /^<([^@]+)@/.exec(headers.get('message-id') ?? '')?.[1] ?? '';

  return {
    port,
    received,
    senders,
    counts: () => ({ connections, logins }),
    mail,
    to,
    message: (messageId, behaviour, text = 'text') =>
      to(locals[behaviour] ?? behaviour, { messageId, text, subject: text }),
    odd: (messageId, oddity) => to(locals[oddity] ?? oddity, { messageId }),
    arrived: () =>
      received.map((one) => ({ messageId: idOf(one), text: `${one.headers.get('subject')}\n${one.text}` })),
    peak: () => peak,
    secrets: [DOMAIN, ...Object.values(users)],
    connections: () => sockets.size,
    open: () => (isSilent ? sockets.size : busy.size),
    cameBy: (messageId) => {
      const one = received.find((some) => idOf(some) === messageId);
      return { connection: `${one?.connection}`, credential: `${one?.user}` };
    },
    dropIdle: () => {
      for (const { session } of idle()) drop(session);
    },
    restart: async () => {
      isRestarting = true;
      for (const { session } of idle()) goodbye(session);
      await new Promise((resolve) => setTimeout(resolve, 5));
      isRestarting = false;
    },
    silence: async () => {
      await vanish();
      isSilent = true;
      listener = await listen(
        createTcpServer((socket) => socket.resume()),
        port,
      );
    },
    vanish,
    stop: vanish,
  };
};
