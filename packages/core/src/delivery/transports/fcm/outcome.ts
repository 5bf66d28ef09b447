import type { Clock } from '../../../foundation/clock.ts';
import { isObject } from '../../../foundation/json.ts';
import { jsonObject, waitOf, wordOf } from '../http2/answer.ts';
import type { Http2Answer } from '../http2/stream.ts';
import type { SendOutcome } from '../port.ts';

/** Source of this whole table: transports, FCM, Outcomes. */
const FCM_ERROR = 'google.firebase.fcm.v1.FcmError';
const BAD_REQUEST = 'google.rpc.BadRequest';
const BAD_TOKEN = 'registration token is not a valid';
const TOKEN_FIELD = 'message.token';
/** Wait after a quota error without Retry-After, in milliseconds; unverified. */
const QUOTA_MS = 60_000;
/** `projects/<project>/messages/<id>`. */
const NAME = /^[\w./:%-]{1,200}$/;

type Detail = Readonly<Record<string, unknown>>;
type Refusal = {
  /** FCM's error code; null if an intermediary answered. */
  readonly errorCode: string | null;
  readonly status: string | null;
  readonly isAboutToken: boolean;
};

const objects = (value: unknown): readonly Detail[] => (Array.isArray(value) ? value.filter(isObject) : []);
const isA = (detail: Detail, type: string): boolean => {
  const name = detail['@type'];
  return typeof name === 'string' && name.endsWith(type);
};

const refusalOf = ({ body }: Http2Answer): Refusal => {
  const error = jsonObject(body)['error'];
  if (!isObject(error)) return { errorCode: null, status: null, isAboutToken: false };
  const details = objects(error['details']);
  const violations = details
    .filter((detail) => isA(detail, BAD_REQUEST))
    .flatMap((detail) => objects(detail['fieldViolations']));
  const { message } = error;
  return {
    errorCode: wordOf(details.find((detail) => isA(detail, FCM_ERROR))?.['errorCode']),
    status: wordOf(error['status']),
    isAboutToken:
      violations.some(({ field }) => field === TOKEN_FIELD) ||
      (violations.length === 0 && typeof message === 'string' && message.includes(BAD_TOKEN)),
  };
};

/** True if the access token was refused and not the message, so another token may help. */
export const isAccessRefused = (answer: Http2Answer): boolean =>
  answer.status === 401 && refusalOf(answer).errorCode === null;

const busy = (answer: Http2Answer, code: string, message: string, clock: Clock): SendOutcome => {
  const { status } = answer;
  const retryAfter = waitOf(answer, clock);
  const wait = status === 429 && retryAfter.retryAfterMs === undefined ? { retryAfterMs: QUOTA_MS } : retryAfter;
  return { result: 'retry', code, message, processed: status === 429 || status === 503 ? 'no' : 'unknown', ...wait };
};

/** The outcome of an FCM answer. Throws nothing, whatever the answer holds. */
export const fcmOutcome = (answer: Http2Answer, clock: Clock): SendOutcome => {
  const { status } = answer;
  if (status === 200) {
    const { name } = jsonObject(answer.body);
    return { result: 'accepted', providerId: typeof name === 'string' && NAME.test(name) ? name : null };
  }
  const { errorCode, status: word, isAboutToken } = refusalOf(answer);
  const code = errorCode ?? word ?? `http_${status}`;
  const message = `FCM answered ${status} ${code}.`;
  if (status === 429 || status >= 500) return busy(answer, code, message, clock);
  if (errorCode === 'UNREGISTERED') return { result: 'failed', code, message, address: 'dead' };
  if (errorCode === 'INVALID_ARGUMENT' && isAboutToken) return { result: 'failed', code, message, address: 'dead' };
  if (errorCode === 'THIRD_PARTY_AUTH_ERROR') return { result: 'credential', code, message };
  if (errorCode === null && (status === 401 || status === 403 || status === 404)) {
    return { result: 'credential', code, message };
  }
  return { result: 'failed', code, message };
};
