import type { Clock } from '../../../foundation/clock.ts';
import { isObject } from '../../../foundation/json.ts';
import { retryAfterMs } from '../../../foundation/net/retry-after.ts';
import type { SendOutcome } from '../port.ts';
import type { Http2Answer } from './stream.ts';

/** A provider's word for something, such as a reason: letters, digits, `_`; never a token, which is longer. */
const WORD = /^[A-Za-z]\w{0,39}$/;

/** The object that a provider's answer is; `{}` where it is anything else. Throws nothing. */
export const jsonObject = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
};

/** A word of the provider's vocabulary, fit for an outcome and for the log; null for anything else. */
export const wordOf = (value: unknown): string | null => (typeof value === 'string' && WORD.test(value) ? value : null);

/** The wait that an answer asks for, as a part of an outcome. */
export const waitOf = ({ headers }: Http2Answer, clock: Clock): { readonly retryAfterMs?: number } => {
  const ms = retryAfterMs(headers['retry-after'], clock.now());
  return ms === undefined ? {} : { retryAfterMs: ms };
};

/** An outcome that asks for another attempt. */
export type Retry = Extract<SendOutcome, { result: 'retry' }>;
