import { describe, expect, it } from 'vitest';
import type { SendOutcome } from '../transports/port.ts';
import { isDark } from './dark.ts';

const retry = (code: string, processed: 'no' | 'unknown' = 'no'): SendOutcome => ({
  result: 'retry',
  code,
  message: 'm',
  processed,
});

describe('a provider that is dark', () => {
  it.each([
    retry('ECONNREFUSED'),
    retry('ENOTFOUND'),
    retry('ERR_TLS_CERT_ALTNAME_INVALID'),
    retry('UND_ERR_CONNECT_TIMEOUT'),
    retry('timeout'),
    retry('http_503'),
    retry('InternalFailure', 'unknown'),
    { result: 'retry', code: '20503', message: 'm', processed: 'no', isDown: true },
  ] satisfies SendOutcome[])('gave no answer, or one that leaves open what became of the message: %o', (outcome) => {
    expect(isDark(outcome)).toBe(true);
  });

  it.each([
    retry('http_429'),
    retry('4.7.1'),
    retry('20429'),
    { result: 'accepted', providerId: null },
    { result: 'failed', code: 'http_503', message: 'm' },
    { result: 'credential', code: 'ECONNREFUSED', message: 'm' },
  ] satisfies SendOutcome[])('is none that answers: %o', (outcome) => {
    expect(isDark(outcome)).toBe(false);
  });
});
