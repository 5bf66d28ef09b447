// A stand-in for a provider with an HTTP email API, over TLS on loopback. The local part of the recipient determines
// the result; the provider's rules determine the format of requests and responses.

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { EmailMessage } from '../../../src/delivery/transports/port.ts';
import type { Behaviour, Oddity, StandIn } from '../../../src/delivery/transports/testing/stand-in.ts';
import { TEST_CA, TEST_CERT, TEST_KEY } from './tls/fixtures.ts';

const DOMAIN = 'private-domain.test';
/** Ten million bytes, written from one buffer, because the stand-in shares the test's memory. */
const PIECES = 1_000;
const PIECE = Buffer.alloc(10_000, 'x');
const WAIT_SECONDS = 30;

export type ApiRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
};

export type ApiReply = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
};

/** The email of a request. */
export type SentMail = {
  readonly to: string;
  /** The message id that events of the email will have. */
  readonly messageId: string;
  /** All text that a reader would see. */
  readonly text: string;
  /** The request as its provider reads it. */
  readonly fields: unknown;
};

/** The API of one provider. */
export type MailApiRules = {
  /** The name of the credential in a request; null: unknown. */
  credentialOf(request: ApiRequest): string | null;
  /** The email, or what is wrong with the request by the provider's documentation. */
  mailOf(request: ApiRequest): SentMail | string;
  readonly replies: {
    accepted(count: number): ApiReply;
    readonly bounced: ApiReply;
    readonly refused: ApiReply;
    readonly busy: ApiReply;
    readonly unauthorized: ApiReply;
    malformed(problem: string): ApiReply;
    /** Response to a read with valid credentials. */
    readonly read: ApiReply;
  };
};

export type ArrivedMail = SentMail & { readonly connection: string; readonly credential: string };

export type MailApiStandIn = StandIn<EmailMessage> & {
  readonly endpoint: string;
  /** The authority of its certificate. PEM. */
  readonly ca: string;
  readonly mails: readonly ArrivedMail[];
  /** Requests of any kind, in order. */
  readonly requests: readonly ApiRequest[];
  mail(fields?: Partial<EmailMessage>): EmailMessage;
  /** An email to that local part. */
  to(local: string, fields?: Partial<EmailMessage>): EmailMessage;
  /** The response to the next request with valid credentials. */
  replyNext(reply: ApiReply): void;
  /** Rejects all credentials from now on, or accepts them again. */
  withdraw(isWithdrawn: boolean): void;
  /** Accepts and answers nothing from now on: emails end in a reset as they arrive, and so do new connections. */
  darken(isDark: boolean): void;
};

export type MailApiOptions = {
  readonly now: () => Date;
  /** Texts that must not appear in any outcome. */
  readonly secrets?: readonly string[];
  /** Minimum duration of an accepted email, in milliseconds; called for each. */
  readonly takesMs?: () => number;
};

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
};

const answer = (response: ServerResponse, { status, headers = {}, body }: ApiReply): void => {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body));
};

const stream = (response: ServerResponse): void => {
  response.writeHead(200, { 'Content-Type': 'application/json' });
  function* pieces() {
    for (let at = 0; at < PIECES; at += 1) yield PIECE;
  }
  // The client leaves before the end.
  pipeline(Readable.from(pieces()), response).catch(() => undefined);
};

/** Starts it on a free port of 127.0.0.1. `stop` ends it together with every connection. */
export const startMailApi = async (
  rules: MailApiRules,
  { now, secrets = [], takesMs = () => 0 }: MailApiOptions,
): Promise<MailApiStandIn> => {
  const mails: ArrivedMail[] = [];
  const requests: ApiRequest[] = [];
  const raw = new Set<Socket>();
  const silent = new Set<Socket>();
  const names = new WeakMap<object, string>();
  let [open, peak, named] = [0, 0, 0];
  let [isSilent, isWithdrawn, isDark] = [false, false, false];
  let dropping: 'connected' | 'headers' | null = null;
  let next: ApiReply | null = null;

  /** Ends the TCP connection under a TLS one, which cannot be reset itself. */
  const reset = (socket: Pick<Socket, 'remotePort'>): void => {
    for (const one of raw) if (one.remotePort === socket.remotePort) one.resetAndDestroy();
  };
  const dropNext = (when: 'connected' | 'headers'): void => {
    dropping = when;
    for (const socket of raw) socket.destroy();
  };

  const busyFor = (retryAfter: string): ApiReply => {
    const { status, headers, body } = rules.replies.busy;
    return { status, body, headers: { ...headers, 'Retry-After': retryAfter } };
  };

  const acts: Partial<Record<string, (response: ServerResponse, socket: Socket) => void>> = {
    bounce: (response) => answer(response, rules.replies.bounced),
    refuse: (response) => answer(response, rules.replies.refused),
    throttle: (response) => answer(response, rules.replies.busy),
    'wait-seconds': (response) => answer(response, busyFor(String(WAIT_SECONDS))),
    'wait-date': (response) =>
      answer(response, busyFor(new Date(now().getTime() + WAIT_SECONDS * 1_000).toUTCString())),
    hang: () => undefined,
    'hang-body': (response) => {
      response.writeHead(503, { 'Content-Type': 'application/json' });
      response.flushHeaders();
    },
    drop: (_, socket) => reset(socket),
    garbage: (response) => answer(response, { status: 200, body: '<html>' }),
    empty: (response) => answer(response, { status: 200 }),
    huge: (response) => stream(response),
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url: path = '', headers, socket } = request;
    const apiRequest = { method, path, headers, body: await bodyOf(request) };
    requests.push(apiRequest);
    if (isDark) return reset(socket);
    await new Promise((resolve) => setImmediate(resolve));
    const credential = isWithdrawn ? null : rules.credentialOf(apiRequest);
    if (credential === null) return answer(response, rules.replies.unauthorized);
    if (next) {
      const reply = next;
      next = null;
      return answer(response, reply);
    }
    if (method === 'GET') return answer(response, rules.replies.read);
    const mail = rules.mailOf(apiRequest);
    if (typeof mail === 'string') return answer(response, rules.replies.malformed(mail));
    const act = acts[mail.to.slice(0, mail.to.indexOf('@'))];
    if (act) return act(response, socket);
    mails.push({ ...mail, credential, connection: names.get(socket) ?? '' });
    const reply = rules.replies.accepted(mails.length);
    const ms = takesMs();
    if (ms > 0) setTimeout(() => answer(response, reply), ms);
    else answer(response, reply);
  };

  const secure = createSecureServer({ cert: TEST_CERT, key: TEST_KEY, keepAlive: true }, (request, response) => {
    if (dropping === 'headers') {
      dropping = null;
      reset(request.socket);
      return;
    }
    open += 1;
    peak = Math.max(peak, open);
    response.once('close', () => {
      open -= 1;
    });
    handle(request, response).catch(() => request.socket.destroy());
  });
  secure.on('secureConnection', (socket) => {
    named += 1;
    names.set(socket, `c${named}`);
    socket.on('error', () => undefined);
  });

  const front = createServer({ noDelay: true }, (socket) => {
    raw.add(socket);
    socket.on('error', () => undefined).once('close', () => raw.delete(socket));
    if (dropping === 'connected' || isDark) {
      dropping = null;
      socket.resetAndDestroy();
    } else if (isSilent) {
      silent.add(socket);
      socket.once('close', () => silent.delete(socket)).resume();
    } else secure.emit('connection', socket);
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  const { port } = front.address() as AddressInfo; // A TCP server that listens has an AddressInfo.
  const vanish = async (): Promise<void> => {
    if (!front.listening) return;
    const closed = new Promise((resolve) => front.close(resolve));
    for (const socket of raw) socket.destroy();
    await closed;
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

  return {
    endpoint: `https://127.0.0.1:${port}`,
    ca: TEST_CA,
    mails,
    requests,
    mail,
    to,
    replyNext: (reply) => {
      next = reply;
    },
    withdraw: (withdrawn) => {
      isWithdrawn = withdrawn;
    },
    darken: (dark) => {
      isDark = dark;
    },
    message: (messageId, behaviour: Behaviour, text = 'text') => to(behaviour, { messageId, text, subject: text }),
    odd: (messageId, oddity: Oddity) => {
      if (oddity === 'reset-early') dropNext('connected');
      if (oddity === 'reset-midway') dropNext('headers');
      return to(oddity, { messageId });
    },
    arrived: () => mails.map(({ messageId, text }) => ({ messageId, text })),
    cameBy: (messageId) => {
      const one = mails.find((some) => some.messageId === messageId);
      return { connection: `${one?.connection}`, credential: `${one?.credential}` };
    },
    peak: () => peak,
    connections: () => raw.size,
    open: () => open + silent.size,
    silence: async () => {
      isSilent = true;
      secure.closeIdleConnections();
    },
    vanish,
    secrets: [DOMAIN, ...secrets],
    stop: vanish,
  };
};
