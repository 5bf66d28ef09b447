import { createHash } from 'node:crypto';
import type { PushMessage } from '../../../src/delivery/transports/port.ts';

/** Hand-over time of test messages. */
export const HANDED_OVER = new Date('2030-01-02T03:04:05.000Z');

/** A UUID that is the same for the same name. */
export const uuidOf = (name: string): string => {
  const hex = createHash('sha256').update(name).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

/** A push with only a title and a body, changed by `changes`. */
export const pushMessage = (changes: Partial<PushMessage> & Pick<PushMessage, 'token'>): PushMessage => ({
  messageId: uuidOf('message'),
  sendId: uuidOf('send'),
  platform: 'ios',
  apnsEnvironment: null,
  title: 'Hello',
  body: 'World',
  data: {},
  actions: [],
  criticalAlert: null,
  interruptionLevel: null,
  collapseKey: null,
  threadId: null,
  ttlSeconds: 3_600,
  priority: 'high',
  badge: null,
  sound: null,
  imageUrl: null,
  now: HANDED_OVER,
  ...changes,
});

/**
 * The message grown to exactly `bytes` as rendered, half of it in characters of three bytes.
 *
 * @throws Error if it is larger already
 */
export const grownTo = (bytes: number, message: PushMessage, render: (message: PushMessage) => string): PushMessage => {
  const missing = bytes - Buffer.byteLength(render({ ...message, body: '' }));
  if (missing < 0) throw new Error('The message is larger than that without a body.');
  const wideCount = Math.floor(missing / 6);
  return { ...message, body: '日'.repeat(wideCount) + 'x'.repeat(missing - 3 * wideCount) };
};
