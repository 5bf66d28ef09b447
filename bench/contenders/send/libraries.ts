// The libraries of the transports, alone: no time limit per call, no limiter, only the status of a response is read.

import { randomUUID, sign } from 'node:crypto';
import { connect, type OutgoingHttpHeaders } from 'node:http2';
import { Agent } from 'node:https';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { apnsHeaders, apnsPayload } from '../../../packages/core/src/delivery/transports/apns/payload.ts';
import { fcmMessage } from '../../../packages/core/src/delivery/transports/fcm/payload.ts';
import { mailOf } from '../../../packages/core/src/delivery/transports/smtp/mail.ts';
import { payloadOf } from '../../../packages/core/src/delivery/transports/web-push/payload.ts';
import type { Benched } from '../../lib/benched.ts';
import type { Caller } from './caller.ts';
import type { World } from './fixtures.ts';
import { HOOKS_AT_ONCE, hooks } from './hooks.ts';
import { mails, pushes, texts } from './messages.ts';

/** The parts of the product's dependencies that are used here. */
type Nodemailer = { createTransport(options: object): { sendMail(mail: object): Promise<unknown> } };
type WebPush = { sendNotification(subscription: object, payload: string, options: object): Promise<unknown> };
type Answer = { readonly statusCode: number; readonly body: { json(): Promise<unknown>; dump(): Promise<void> } };
type Undici = { Pool: new (origin: string, options: object) => { request(options: object): Promise<Answer> } };
/** Loads a dependency of the product. */
type Load = (name: string) => unknown;

/** Concurrency of the transports. Source: reliability, P6. */
const AT_ONCE = { http2: 900, webpush: 256, sockets: 64, smtp: 5, twilio: 50 };

const one = (atOnce: number, send: (index: number, id: string) => Promise<unknown>): Caller => ({
  atOnce,
  size: 1,
  call: async (index) => {
    await send(index, randomUUID());
  },
});

/** A POST per message over one session of node:http2. */
const http2Caller = (
  origin: string,
  ca: string,
  request: (index: number, id: string) => { readonly headers: OutgoingHttpHeaders; readonly body: string },
): Caller => {
  const session = connect(origin, { ca });
  return one(
    AT_ONCE.http2,
    (index, id) =>
      new Promise<void>((resolve, reject) => {
        const { headers, body } = request(index, id);
        const stream = session.request({ ':method': 'POST', ...headers });
        stream.on('response', ({ ':status': status }) => {
          if (status !== 200) reject(new Error(`answered ${status}`));
        });
        stream.on('error', reject);
        stream.on('end', resolve);
        stream.resume();
        stream.end(body);
      }),
  );
};

const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const apns = (world: World): Caller => {
  const { keyId, teamId, key, topic } = world.settings.apns;
  const claims = { iss: teamId, iat: Math.floor(Date.now() / 1_000) };
  const text = `${base64url({ alg: 'ES256', kid: keyId })}.${base64url(claims)}`;
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url');
  const push = pushes('apns', world);
  return http2Caller(world.peers.apns, world.ca, (index, id) => {
    const message = push(index, id);
    return {
      headers: {
        ':path': `/3/device/${message.token}`,
        authorization: `bearer ${text}.${signature}`,
        ...apnsHeaders(message, topic),
      },
      body: apnsPayload(message),
    };
  });
};

const fcm = (world: World): Caller => {
  const push = pushes('fcm', world);
  const headers = {
    ':path': '/v1/projects/bench/messages:send',
    authorization: 'Bearer bench-token',
    'content-type': 'application/json',
  };
  return http2Caller(world.peers.fcm, world.ca, (index, id) => ({
    headers,
    body: `{"message":${fcmMessage(push(index, id), undefined)}}`,
  }));
};

/** The library's own call: it signs each message again. */
const webpush = (world: World, load: Load): Caller => {
  // Safe: the type above describes the used part of the package.
  const { sendNotification } = load('web-push') as WebPush;
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE.sockets, ca: world.ca });
  const { subject, publicKey, privateKey } = world.settings.webpush;
  const push = pushes('webpush', world);
  return one(AT_ONCE.webpush, (index, id) => {
    const message = push(index, id);
    return sendNotification(JSON.parse(message.token), payloadOf(message), {
      vapidDetails: { subject, publicKey, privateKey },
      TTL: message.ttlSeconds,
      contentEncoding: 'aes128gcm',
      agent,
    });
  });
};

const smtp = ({ settings, ca }: World, load: Load): Caller => {
  // Safe: as above.
  const { createTransport } = load('nodemailer') as Nodemailer;
  const { host, port, secure } = settings.smtp;
  const transporter = createTransport({
    ...{ host, port, secure, tls: { ca } },
    pool: true,
    maxConnections: AT_ONCE.smtp,
    maxMessages: Number.POSITIVE_INFINITY,
  });
  const mail = mails();
  return one(AT_ONCE.smtp, (index, id) => transporter.sendMail(mailOf(mail(index, id), new Date())));
};

/** The form without the SDK. */
const twilio = ({ peers, settings, ca }: World, load: Load): Caller => {
  // Safe: as above.
  const { Pool } = load('undici') as Undici;
  const { accountSid, authToken = '', from = '' } = settings.twilio;
  const pool = new Pool(peers.twilio, { connections: AT_ONCE.twilio, connect: { ca } });
  const authorization = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`;
  const text = texts();
  return one(AT_ONCE.twilio, async (index, id) => {
    const { to, body } = text(index, id);
    const answer = await pool.request({
      method: 'POST',
      path: `/2010-04-01/Accounts/${accountSid}/Messages.json`,
      headers: { authorization, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ To: to, From: from, Body: body }).toString(),
    });
    if (answer.statusCode !== 201) throw new Error(`answered ${answer.statusCode}`);
    await answer.body.json();
  });
};

/** Without SSRF protection, and without reading the response. */
const webhook = ({ peers, ca }: World, load: Load): Caller => {
  // Safe: as above.
  const { Pool } = load('undici') as Undici;
  const pool = new Pool(peers.webhooks, { connections: HOOKS_AT_ONCE, connect: { ca } });
  const hook = hooks(peers);
  return one(HOOKS_AT_ONCE, async (index, id) => {
    const { url, headers, body } = hook(index, id);
    const answer = await pool.request({ method: 'POST', path: new URL(url).pathname, headers, body });
    if (answer.statusCode !== 204) throw new Error(`answered ${answer.statusCode}`);
    await answer.body.dump();
  });
};

const callers: Readonly<Record<Benched, (world: World, load: Load) => Caller>> = {
  ...{ apns, fcm, webpush, smtp, twilio, webhook },
};

/**
 * A loop over the library alone, with the messages of the product.
 *
 * @param root checkout whose dependencies are used
 */
export const libraryCaller = async (provider: Benched, world: World, root: string): Promise<Caller> =>
  callers[provider](world, createRequire(join(root, 'packages/core/package.json')));
