import type { Clock } from '../../../foundation/clock.ts';
import { jsonObject, waitOf, wordOf } from '../http2/answer.ts';
import type { Http2Answer } from '../http2/stream.ts';
import type { SendOutcome } from '../port.ts';

/** The whole of this table: transports, APNs, Outcomes. */
const DEAD_FROM = 410;
const DEAD = new Set(['Unregistered', 'ExpiredToken']);
const CREDENTIAL = new Set([
  'ExpiredProviderToken',
  'InvalidProviderToken',
  'MissingProviderToken',
  'UnrelatedKeyIdInToken',
  'BadEnvironmentKeyIdInToken',
  'Forbidden',
]);
/** Of a topic that the settings name: every message would be refused. */
const WRONG_TOPIC = new Set(['BadTopic', 'TopicDisallowed']);
const ID = /^[\w-]{1,100}$/;

/** What Apple gives as the cause; null where the answer names none. */
export const apnsReason = ({ body }: Http2Answer): string | null => wordOf(jsonObject(body)['reason']);

const since = ({ body }: Http2Answer): { readonly deadSince?: Date } => {
  const ms = jsonObject(body)['timestamp'];
  const date = new Date(typeof ms === 'number' && ms > 0 ? ms : Number.NaN);
  return Number.isNaN(date.getTime()) ? {} : { deadSince: date };
};

const accepted = ({ headers }: Http2Answer): SendOutcome => {
  const id = headers['apns-id'];
  return { result: 'accepted', providerId: typeof id === 'string' && ID.test(id) ? id : null };
};

/** What an answer of APNs means. Throws nothing, whatever the answer holds. */
export const apnsOutcome = (answer: Http2Answer, clock: Clock): SendOutcome => {
  const { status } = answer;
  if (status === 200) return accepted(answer);
  const reason = apnsReason(answer);
  const code = reason ?? `http_${status}`;
  const message = `APNs answered ${status}${reason === null ? '' : ` ${reason}`}.`;
  if (status === 429 || status >= 500) {
    const processed = status === 429 || status === 503 ? 'no' : 'unknown';
    return { result: 'retry', code, message, processed, ...waitOf(answer, clock) };
  }
  if (status === DEAD_FROM && DEAD.has(code)) {
    return { result: 'failed', code, message, address: 'dead', ...since(answer) };
  }
  if (status === 400 && code === 'BadDeviceToken') return { result: 'failed', code, message, address: 'dead' };
  if (status === 403 && (CREDENTIAL.has(code) || code.startsWith('BadCertificate'))) {
    return { result: 'credential', code, message };
  }
  if (WRONG_TOPIC.has(code)) return { result: 'credential', code, message };
  return { result: 'failed', code, message };
};
