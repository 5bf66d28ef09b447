import { type ApnsBehaviour, apnsToken } from '../../../core/test/support/transports/apns-peer.ts';
import type { Stage } from './stage.ts';

/** Maximum tokens and addresses per send. Source: core, push/schema.ts, email/schema.ts and sms/schema.ts. */
const TOKENS = 1_000;
const ADDRESSES = 50;

const inChunks = async (count: number, size: number, send: (from: number, to: number) => Promise<unknown>) => {
  for (let from = 0; from < count; from += size) await send(from, Math.min(from + size, count));
};
const range = <T>(from: number, to: number, make: (at: number) => T): T[] =>
  Array.from({ length: to - from }, (_, at) => make(from + at));

/**
 * Requests pushes to unregistered device tokens.
 *
 * @param name unique per stage
 * @param behaviour the behaviour of APNs for these tokens
 */
export const pushToIos = (
  { beckon, scope }: Stage,
  name: string,
  count: number,
  behaviour: ApnsBehaviour = 'ok',
): Promise<void> =>
  inChunks(count, TOKENS, (from, to) =>
    beckon.push.send(scope, {
      title: 'News',
      body: 'There is news.',
      tokens: range(from, to, (at) => apnsToken(behaviour, `${name} ${at}`)),
    }),
  );

/** The same through FCM. */
export const pushToAndroid = ({ beckon, scope }: Stage, name: string, count: number): Promise<void> =>
  inChunks(count, TOKENS, (from, to) =>
    beckon.push.send(scope, {
      title: 'News',
      body: 'There is news.',
      tokens: range(from, to, (at) => `${name}:${at}`),
    }),
  );

/** Requests emails to unique addresses. */
export const mail = ({ beckon, scope }: Stage, name: string, count: number): Promise<void> =>
  inChunks(count, ADDRESSES, (from, to) =>
    beckon.email.send(scope, {
      subject: 'News',
      text: 'There is news.',
      to: range(from, to, (at) => `${name}-${at}@example.test`),
    }),
  );

/**
 * Requests SMS to unique numbers.
 *
 * @param first first number; `first + count` must be below 20,000, because other numbers have special behaviour
 */
export const text = ({ beckon, scope }: Stage, first: number, count: number): Promise<void> =>
  inChunks(count, ADDRESSES, (from, to) =>
    beckon.sms.send(scope, {
      body: 'There is news.',
      to: range(from, to, (at) => `+15005${String(first + at).padStart(6, '0')}`),
    }),
  );
