import type { Clock } from '../../../foundation/clock.ts';
import { isObject } from '../../../foundation/json.ts';
import { retryAfterMs } from '../../../foundation/net/retry-after.ts';
import type { SendOutcome } from '../port.ts';
import type { Http2Answer } from './stream.ts';

/** A provider's identifier, such as a reason: letters, digits, `_`; never a token, which is longer. */
const WORD = /^[A-Za-z]\w{0,39}$/;

/** The answer as a JSON object; `{}` for anything else. Throws nothing. */
export const jsonObject = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
};

/** An identifier of the provider that is safe in an outcome and in the log; null for anything else. */
export const wordOf = (value: unknown): string | null => (typeof value === 'string' && WORD.test(value) ? value : null);

/** The Retry-After of an answer, as a part of an outcome. */
export const waitOf = ({ headers }: Http2Answer, clock: Clock): { readonly retryAfterMs?: number } => {
  const ms = retryAfterMs(headers['retry-after'], clock.now());
  return ms === undefined ? {} : { retryAfterMs: ms };
};

/** An outcome that allows another attempt. */
export type Retry = Extract<SendOutcome, { result: 'retry' }>;
