// A stand-in for every provider and receiver, in a separate process: accepts all messages, counts them, validates none.
import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { TEST_CERT, TEST_KEY } from '../../packages/core/test/support/transports/tls/fixtures.ts';
import { answerParent, meter, type Usage } from '../lib/child.ts';
import { type Arrived, arrivals } from './send/arrivals.ts';
import type { Peers } from './send/fixtures.ts';
import { answer, http2Server } from './send/http2-server.ts';
import { listen } from './send/listen.ts';
import { smtpServer } from './send/smtp-server.ts';

/** What arrived in a stretch, and its cost. */
export type Seen = Arrived & Usage;

/** Longer than a round, so that no connection is opened within a turn. */
const KEEP_ALIVE_MS = 60_000;
const ID_BEFORE = Buffer.from('"serviceMessageId":"');
const ID_LENGTH = 36;

const usage = meter();
const { take, begin, reached, arrived } = arrivals();

/** The id that the product puts into every payload. */
const takePayload = (body: Buffer): string => {
  const at = body.indexOf(ID_BEFORE) + ID_BEFORE.length;
  const id = body.toString('latin1', at, at + ID_LENGTH);
  take(id);
  return id;
};

const textOf = (request: IncomingMessage, read: (text: string) => void): void => {
  let text = '';
  request.setEncoding('latin1');
  request.on('data', (chunk: string) => {
    text += chunk;
  });
  request.on('end', () => read(text));
};

let fcmMessages = 0;

/** Encrypted bodies cannot be distinguished: each subscription gets one message per turn. */
const pushService = createSecureServer({ key: TEST_KEY, cert: TEST_CERT }, (request, response) => {
  textOf(request, () => {
    take(request.url ?? '');
    response.writeHead(201, { Location: `https://127.0.0.1/m${request.url}`, 'Content-Length': '0' }).end();
  });
});

/** Each number gets one message per turn. */
const smsApi = createSecureServer({ key: TEST_KEY, cert: TEST_CERT }, (request, response) => {
  textOf(request, (text) => {
    const to = /(?:^|&)To=([^&]*)/.exec(text)?.[1] ?? '';
    take(to);
    const body = `{"sid":"SM${to.slice(-10).padStart(32, '0')}","num_segments":"1","status":"queued"}`;
    const headers = { 'Content-Type': 'application/json', 'Content-Length': String(body.length) };
    response.writeHead(201, headers).end(body);
  });
});

/** The same event goes to several webhooks. */
const receiver = createSecureServer({ key: TEST_KEY, cert: TEST_CERT }, (request, response) => {
  textOf(request, () => {
    take(`${request.url} ${request.headers['webhook-id']}`);
    response.writeHead(204).end();
  });
});

const tokenServer = createServer((request, response) => {
  textOf(request, () => {
    const body = JSON.stringify({ access_token: 'bench-token', expires_in: 3_599, token_type: 'Bearer' });
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(body);
  });
});

const start = async (): Promise<Peers> => {
  for (const server of [pushService, smsApi, receiver]) server.keepAliveTimeout = KEEP_ALIVE_MS;
  return {
    apns: await http2Server((body) => answer('apns-id', takePayload(body), null)),
    fcm: await http2Server((body) => {
      takePayload(body);
      fcmMessages += 1;
      const name = `projects/bench/messages/0:${String(fcmMessages).padStart(16, '0')}`;
      return answer('content-type', 'application/json; charset=UTF-8', `{\n  "name": "${name}"\n}\n`);
    }),
    tokenUri: `http://127.0.0.1:${await listen(tokenServer)}/token`,
    webPush: `https://127.0.0.1:${await listen(pushService)}`,
    smtpPort: await smtpServer(take),
    twilio: `https://127.0.0.1:${await listen(smsApi)}`,
    webhooks: `https://127.0.0.1:${await listen(receiver)}`,
  };
};

answerParent({
  start,
  begin: () => {
    begin();
    usage.begin();
  },
  reached: ({ count, limitMs }: { count: number; limitMs: number }) => reached(count, limitMs),
  end: (): Seen => ({ ...arrived(), ...usage.end() }),
});
