import { describe, expect, it } from 'vitest';
import type { SendOutcome } from '../transports/port.ts';
import { CIRCUIT_CAP_MS, CIRCUIT_MS, circuit, isUnresponsive, UNRESPONSIVE_IN_A_ROW } from './circuit.ts';

const start = Date.parse('2026-03-01T12:00:00.000Z');
const at = (ms: number): Date => new Date(start + ms);
const accepted: SendOutcome = { result: 'accepted', providerId: null };
const refused: SendOutcome = { result: 'credential', code: 'auth', message: 'No.' };
const dark: SendOutcome = { result: 'retry', code: 'ECONNREFUSED', message: 'Not reached.', processed: 'no' };
const recordContext = (now: Date, { isProbe = false, hasFallback = true } = {}) => ({ now, isProbe, hasFallback });
const busy: SendOutcome = { result: 'retry', code: 'busy', message: 'Later.', processed: 'no' };

describe('a circuit', () => {
  it('a circuit lets every message pass until credentials are refused', () => {
    const one = circuit();
    expect(one.pass(at(0))).toEqual({ may: 'all' });
    for (const outcome of [accepted, busy]) expect(one.record(outcome, recordContext(at(0)))).toBeNull();
    expect(one.pass(at(0))).toEqual({ may: 'all' });
    expect(one.record(refused, recordContext(at(0)))).toEqual({ until: at(CIRCUIT_MS), code: 'auth' });
    expect(one.pass(at(CIRCUIT_MS - 1))).toEqual({ may: 'none', until: at(CIRCUIT_MS) });
    expect(one.refusedUntil(at(0))).toEqual(at(CIRCUIT_MS));
  });

  it('a circuit opens once for all messages that were refused together', () => {
    const one = circuit();
    one.record(refused, recordContext(at(0)));
    for (let call = 0; call < 50; call += 1) expect(one.record(refused, recordContext(at(100)))).toBeNull();
    expect(one.refusedUntil(at(100))).toEqual(at(CIRCUIT_MS));
  });

  it('an expired circuit passes one probe and nothing beside it', () => {
    const one = circuit();
    one.record(refused, recordContext(at(0)));
    expect(one.pass(at(CIRCUIT_MS))).toMatchObject({ may: 'one' });
    expect(one.pass(at(CIRCUIT_MS))).toMatchObject({ may: 'none' });
    expect(one.record(accepted, recordContext(at(CIRCUIT_MS), { isProbe: true }))).toEqual({ until: null, code: null });
    expect(one.pass(at(CIRCUIT_MS))).toEqual({ may: 'all' });
  });

  it('each failed probe doubles the open time, up to 15 minutes', () => {
    const one = circuit();
    let now = 0;
    const waits: number[] = [];
    for (let opening = 0; opening < 7; opening += 1) {
      const pass = one.pass(at(now));
      const until = one.record(refused, recordContext(at(now), { isProbe: pass.may === 'one' }))?.until ?? at(now);
      waits.push(until.getTime() - start - now);
      now = until.getTime() - start;
    }
    expect(waits).toEqual([60, 120, 240, 480, 900, 900, 900].map((seconds) => seconds * 1_000));
    one.pass(at(now));
    one.record(accepted, recordContext(at(now), { isProbe: true }));
    expect(one.record(refused, recordContext(at(now)))?.until).toEqual(at(now + CIRCUIT_MS));
  });

  it('a probe that proves nothing makes the next message the probe', () => {
    const one = circuit();
    one.record(refused, recordContext(at(0)));
    one.pass(at(CIRCUIT_MS));
    expect(one.record(busy, recordContext(at(CIRCUIT_MS), { isProbe: true }))).toBeNull();
    expect(one.pass(at(CIRCUIT_MS))).toMatchObject({ may: 'one' });
  });

  it("a circuit stays open at least for the provider's Retry-After, and never longer than its cap", () => {
    const one = circuit();
    expect(one.record({ ...refused, retryAfterMs: 300_000 }, recordContext(at(0)))?.until).toEqual(at(300_000));
    const other = circuit();
    expect(other.record({ ...refused, retryAfterMs: 1e12 }, recordContext(at(0)))?.until).toEqual(at(CIRCUIT_CAP_MS));
  });

  it('a circuit with a fallback opens after several unanswered messages in a row', () => {
    const one = circuit();
    for (let call = 1; call < UNRESPONSIVE_IN_A_ROW; call += 1)
      expect(one.record(dark, recordContext(at(0)))).toBeNull();
    expect(one.record(dark, recordContext(at(0)))).toEqual({ until: at(CIRCUIT_MS), code: 'ECONNREFUSED' });
    expect(one.pass(at(0))).toMatchObject({ may: 'none' });
    expect(one.record(dark, recordContext(at(100)))).toBeNull();
    expect(one.refusedUntil(at(100))).toEqual(at(CIRCUIT_MS));
  });

  it('any answer resets the count of unanswered messages, and a provider without a fallback stays closed', () => {
    for (const answer of [accepted, busy]) {
      const one = circuit();
      for (let call = 1; call < UNRESPONSIVE_IN_A_ROW; call += 1) one.record(dark, recordContext(at(0)));
      one.record(answer, recordContext(at(0)));
      for (let call = 1; call < UNRESPONSIVE_IN_A_ROW; call += 1)
        expect(one.record(dark, recordContext(at(0)))).toBeNull();
    }
    const only = circuit();
    for (let call = 0; call < 50; call += 1)
      expect(only.record(dark, recordContext(at(0), { hasFallback: false }))).toBeNull();
    expect(only.pass(at(0))).toEqual({ may: 'all' });
  });

  it('an outage circuit is closed by any answer, and open for longer without one', () => {
    const opened = () => {
      const one = circuit();
      for (let call = 0; call < UNRESPONSIVE_IN_A_ROW; call += 1) one.record(dark, recordContext(at(0)));
      one.pass(at(CIRCUIT_MS));
      return one;
    };
    const probe = recordContext(at(CIRCUIT_MS), { isProbe: true });
    for (const answer of [accepted, busy]) expect(opened().record(answer, probe)).toEqual({ until: null, code: null });
    // The fallback may have become unavailable meanwhile.
    expect(opened().record(dark, { ...probe, hasFallback: false })?.until).toEqual(at(3 * CIRCUIT_MS));
    expect(opened().record(refused, probe)).toEqual({ until: at(3 * CIRCUIT_MS), code: 'auth' });
  });

  it('a circuit reports whether an outage or refused credentials opened it', () => {
    const one = circuit();
    for (let call = 1; call < UNRESPONSIVE_IN_A_ROW; call += 1) one.record(dark, recordContext(at(0)));
    expect(one.isUnresponsive()).toBe(false);
    one.record(dark, recordContext(at(0)));
    expect(one.isUnresponsive()).toBe(true);
    one.pass(at(CIRCUIT_MS));
    one.record(refused, recordContext(at(CIRCUIT_MS), { isProbe: true }));
    expect(one.isUnresponsive()).toBe(false);
  });

  it('after an abandoned probe the next message is the probe', () => {
    const one = circuit();
    one.record(refused, recordContext(at(0)));
    one.pass(at(CIRCUIT_MS));
    one.abandon();
    expect(one.pass(at(CIRCUIT_MS))).toMatchObject({ may: 'one' });
  });

  it('a probe without an answer keeps a credential circuit open, because it proves nothing about credentials', () => {
    const one = circuit();
    one.record(refused, recordContext(at(0)));
    one.pass(at(CIRCUIT_MS));
    expect(one.record(dark, recordContext(at(CIRCUIT_MS), { isProbe: true }))).toBeNull();
    expect(one.pass(at(CIRCUIT_MS))).toMatchObject({ may: 'one' });
  });
});

const retry = (code: string, processed: 'no' | 'unknown' = 'no'): SendOutcome => ({
  result: 'retry',
  code,
  message: 'm',
  processed,
});

describe('isUnresponsive', () => {
  it.each([
    retry('ECONNREFUSED'),
    retry('ENOTFOUND'),
    retry('ERR_TLS_CERT_ALTNAME_INVALID'),
    retry('UND_ERR_CONNECT_TIMEOUT'),
    retry('timeout'),
    retry('http_503'),
    retry('InternalFailure', 'unknown'),
    { result: 'retry', code: '20503', message: 'm', processed: 'no', isDown: true },
  ] satisfies SendOutcome[])('isUnresponsive is true for no answer and for an ambiguous one: %o', (outcome) => {
    expect(isUnresponsive(outcome)).toBe(true);
  });

  it.each([
    retry('http_429'),
    retry('4.7.1'),
    retry('20429'),
    { result: 'accepted', providerId: null },
    { result: 'failed', code: 'http_503', message: 'm' },
    { result: 'credential', code: 'ECONNREFUSED', message: 'm' },
  ] satisfies SendOutcome[])('is false for an answer: %o', (outcome) => {
    expect(isUnresponsive(outcome)).toBe(false);
  });
});
