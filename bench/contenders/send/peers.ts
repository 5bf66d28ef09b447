// Other senders, if they are installed in bench/peers, configured to send to the stand-ins.

import { randomUUID } from 'node:crypto';
import http2 from 'node:http2';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pushData } from '../../../packages/core/src/delivery/transports/port.ts';
import type { Benched } from '../../lib/benched.ts';
import type { Caller } from './caller.ts';
import type { World } from './fixtures.ts';
import { pushes } from './messages.ts';

/** The part of @parse/node-apn 8 that is used here. */
type Notification = { topic: string; alert: object; expiry: number; priority: number; id: string; payload: object };
type Apn = {
  Notification: new () => Notification;
  Provider: new (
    options: object,
  ) => { send(note: Notification, token: string): Promise<{ sent: unknown[]; failed: unknown[] }> };
};
/** The part of firebase-admin 14 that is used here. */
type FirebaseApp = {
  initializeApp(options: {
    projectId: string;
    credential: { getAccessToken(): Promise<{ access_token: string; expires_in: number }> };
  }): unknown;
};
type FirebaseMessaging = {
  getMessaging(app: unknown): {
    sendEach(messages: readonly object[]): Promise<{ failureCount: number }>;
  };
};

/** The concurrency of our transports. */
const AT_ONCE = 900;
/** Messages of one call of sendEach. Source: Firebase, Send messages to multiple devices. */
const EACH = 500;
const ALERT_PRIORITY = 10;

const nodeApn = (world: World, load: (name: string) => unknown): Caller => {
  // Safe: the package is pinned, and the types above describe the used part.
  const apn = load('@parse/node-apn') as Apn;
  const { keyId, teamId, key, topic } = world.settings.apns;
  const { hostname: address, port } = new URL(world.peers.apns);
  const caData = [world.ca];
  const token = { key, keyId, teamId };
  const provider = new apn.Provider({ token, production: true, address, port: Number(port), ca: caData });
  const push = pushes('apns', world);
  return {
    atOnce: AT_ONCE,
    size: 1,
    call: async (index) => {
      const message = push(index, randomUUID());
      const note = Object.assign(new apn.Notification(), {
        topic,
        alert: { title: message.title, body: message.body },
        expiry: Math.floor(message.now.getTime() / 1_000) + message.ttlSeconds,
        priority: ALERT_PRIORITY,
        id: message.messageId,
        payload: { data: pushData(message) },
      });
      const { failed } = await provider.send(note, message.token);
      if (failed.length > 0) throw new Error(`@parse/node-apn: ${JSON.stringify(failed[0])}`);
    },
  };
};

const firebaseAdmin = (world: World, load: (name: string) => unknown): Caller => {
  // It has no option for another host.
  const { connect } = http2;
  Object.assign(http2, { connect: () => connect(world.peers.fcm, { ca: world.ca }) });
  // Safe: as above.
  const { initializeApp } = load('firebase-admin/app') as FirebaseApp;
  const { getMessaging } = load('firebase-admin/messaging') as FirebaseMessaging;
  const credential = { getAccessToken: async () => ({ access_token: 'bench-token', expires_in: 3_600 }) };
  const messaging = getMessaging(initializeApp({ projectId: 'bench', credential }));
  const push = pushes('fcm', world);
  const messageOf = (index: number) => {
    const message = push(index, randomUUID());
    const { token, title, body, ttlSeconds } = message;
    const data = Object.fromEntries(Object.entries(pushData(message)).map(([name, value]) => [name, String(value)]));
    return { token, notification: { title, body }, data, android: { ttl: ttlSeconds * 1_000, priority: 'high' } };
  };
  return {
    atOnce: 1,
    size: EACH,
    call: async (first, count) => {
      const { failureCount } = await messaging.sendEach(
        Array.from({ length: count }, (_, at) => messageOf(first + at)),
      );
      if (failureCount > 0) throw new Error(`firebase-admin: ${failureCount} messages failed`);
    },
  };
};

const callers: Partial<Record<Benched, (world: World, load: (name: string) => unknown) => Caller>> = {
  apns: nodeApn,
  fcm: firebaseAdmin,
};

/** @param folder where the peers are installed */
export const peerCaller = async (provider: Benched, world: World, folder: string): Promise<Caller> => {
  const make = callers[provider];
  if (!make) throw new Error(`no peer for ${provider}`);
  return make(world, createRequire(join(folder, 'package.json')));
};
