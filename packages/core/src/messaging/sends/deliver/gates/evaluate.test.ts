import { describe, expect, it } from 'vitest';
import { messageRow, readyMessage } from '../../../../../test/support/sends/message.ts';
import { checkGates } from '../../accept/dry-run.ts';
import { MAX_ATTEMPTS } from '../../verdict.ts';
import type { ReadyMessage } from '../message.ts';
import { evaluateGates, gates } from './evaluate.ts';
import type { Gate, Moment } from './gate.ts';

const moment: Moment = { now: new Date('2026-03-01T12:00:00.000Z'), sendStatus: 'queued' };
const unasked = (): never => {
  throw new Error('rendered too early');
};
/** A gate for tests that need no explanation. */
const gate = (judge: Gate['evaluate']): Gate => ({
  name: 'test',
  evaluate: judge,
  evidence: () => ({}),
  stopped: () => false,
  storedEvidence: () => ({}),
});
const judged = (message: ReadyMessage, more: Partial<Moment> = {}, resendsAmbiguous = false) =>
  evaluateGates(gates({ resendsAmbiguous }), message, { ...moment, ...more });

describe('the delivery gates', () => {
  it('dry runs know every gate', () => {
    expect(() => checkGates(gates({ resendsAmbiguous: false }))).not.toThrow();
    expect(() => checkGates([gate(() => ({ verdict: 'pass' }))])).toThrow('dry runs do not know the gate test');
  });

  it('a valid message passes every gate', () => {
    expect(judged(readyMessage())).toEqual({ verdict: 'pass' });
    expect(judged(readyMessage(), { sendStatus: 'sending' })).toEqual({ verdict: 'pass' });
    expect(judged(readyMessage({ status: 'deferred' }))).toEqual({ verdict: 'pass' });
  });

  it('a cancelled, a finished and a deleted send stop a message before it is rendered', () => {
    const message = readyMessage({}, { rendered: unasked });
    for (const sendStatus of ['cancelled', 'sent', 'failed', 'suppressed', null] as const)
      expect(judged(message, { sendStatus })).toEqual({ verdict: 'cancelled' });
  });

  it('a cancel is checked before the address', () => {
    const message = readyMessage({ address: null }, { rendered: unasked });
    expect(judged(message, { sendStatus: 'cancelled' })).toEqual({ verdict: 'cancelled' });
  });

  it('a message without an address is suppressed before it is rendered', () => {
    expect(judged(readyMessage({ address: null }, { rendered: unasked }))).toEqual({
      verdict: 'suppressed',
      reason: 'no_address',
    });
  });

  it('an unusable address is suppressed before rendering', () => {
    const addressState = { unusable: 'token_inactive', timezone: null, locale: null } as const;
    expect(judged(readyMessage({}, { addressState, rendered: unasked }))).toEqual({
      verdict: 'suppressed',
      reason: 'token_inactive',
    });
    expect(judged(readyMessage({}, { addressState: { ...addressState, unusable: null } }))).toEqual({
      verdict: 'pass',
    });
  });

  it('a listed address is suppressed before rendering', () => {
    const listed = [{ reason: 'bounced_address', sender: '' }] as const;
    const addressState = { unusable: null, timezone: null, locale: null, listed };
    expect(judged(readyMessage({}, { addressState, rendered: unasked }))).toEqual({
      verdict: 'suppressed',
      reason: 'bounced_address',
    });
  });

  it('a text message handed over without an answer fails unless repeats are allowed', () => {
    const lost = { channel: 'sms', status: 'sending', attempt: 1 } as const;
    expect(judged(readyMessage(lost))).toMatchObject({ verdict: 'failed', code: 'ambiguous_outcome' });
    expect(judged(readyMessage(lost), {}, true)).toEqual({ verdict: 'pass' });
    expect(judged(readyMessage({ ...lost, channel: 'push' }))).toEqual({ verdict: 'pass' });
    expect(judged(readyMessage({ ...lost, status: 'queued' }))).toEqual({ verdict: 'pass' });
  });

  it('a message whose channel lost its provider fails', () => {
    expect(judged(readyMessage({}, { connection: null, rendered: unasked }))).toMatchObject({
      verdict: 'failed',
      code: 'provider_not_configured',
    });
  });

  it('a message handed over six times without an answer fails', () => {
    const lost = { status: 'sending', attempt: MAX_ATTEMPTS } as const;
    expect(judged(readyMessage(lost))).toMatchObject({ verdict: 'failed', code: 'attempts_exhausted' });
    expect(judged(readyMessage({ ...lost, attempt: MAX_ATTEMPTS - 1 }))).toEqual({ verdict: 'pass' });
    expect(judged(readyMessage({ ...lost, status: 'queued' }))).toEqual({ verdict: 'pass' });
  });

  it('the gates run in this order: cancel, lost answer, attempts, address, list, provider, content', () => {
    const worst = { channel: 'sms', address: null, status: 'sending', attempt: MAX_ATTEMPTS } as const;
    const stopped = { verdict: 'suppressed', reason: 'sms_stopped' } as const;
    let row: Partial<ReadyMessage['row']> = worst;
    let ready: Partial<ReadyMessage> = {
      connection: null,
      addressState: { unusable: stopped.reason, timezone: null, locale: null },
      rendered: () => ({ verdict: 'suppressed', reason: 'empty_body' }),
    };
    let isCancelled = true;
    let resends = false;
    /** The verdict after each earlier reason is fixed. */
    const mends: (() => void)[] = [
      () => undefined,
      () => {
        isCancelled = false;
      },
      () => {
        resends = true;
      },
      () => {
        row = { ...row, attempt: MAX_ATTEMPTS - 1 };
      },
      () => {
        row = { ...row, address: '+14155550199' };
      },
      () => {
        const listed = [{ reason: 'manual', sender: '' }] as const;
        ready = { ...ready, addressState: { unusable: null, timezone: null, locale: null, listed } };
      },
      () => {
        ready = { ...ready, addressState: null };
      },
      () => {
        const { connection: _, ...rest } = ready;
        ready = rest;
      },
    ];
    const found = mends.map((mend) => {
      mend();
      const sendStatus = isCancelled ? 'cancelled' : 'sending';
      const verdict = judged(readyMessage(row, ready), { sendStatus }, resends);
      return 'code' in verdict ? verdict.code : 'reason' in verdict ? verdict.reason : verdict.verdict;
    });
    expect(found).toEqual([
      'cancelled',
      'ambiguous_outcome',
      'attempts_exhausted',
      'no_address',
      'sms_stopped',
      'unsubscribed',
      'provider_not_configured',
      'empty_body',
    ]);
  });

  it('a prod email from an unverified sender fails before rendering', () => {
    const senders = { isRequired: true, mayBeFrom: (address: string) => address.endsWith('@good.test') };
    const from = (email: string) => ({
      content: { from: { email, name: null } },
      variables: {},
      class: 'marketing' as const,
      category: null,
      abTestId: null,
      step: null,
    });
    const failed = { verdict: 'failed', code: 'domain_not_verified' };
    expect(judged(readyMessage({}, { senders, send: from('a@good.test') }))).toEqual({ verdict: 'pass' });
    expect(judged(readyMessage({}, { senders, send: from('a@bad.test'), rendered: unasked }))).toMatchObject(failed);
    expect(judged(readyMessage({ channel: 'push' }, { senders, send: from('a@bad.test') }))).toEqual({
      verdict: 'pass',
    });
    // Safe: the gate reads these two fields only.
    const carriedBy = (provider: string, email: string) =>
      ({ provider, defaultFrom: { email, name: null } }) as ReadyMessage['connection'];
    expect(
      judged(readyMessage({}, { senders, send: null, connection: carriedBy('smtp', 'a@bad.test'), rendered: unasked })),
    ).toMatchObject(failed);
    expect(judged(readyMessage({}, { senders, connection: carriedBy('sandbox', 'a@bad.test') }))).toEqual({
      verdict: 'pass',
    });
  });

  it('a rendering failure is the verdict of the rendering gate', () => {
    const stopped = { verdict: 'suppressed', reason: 'empty_body' } as const;
    expect(judged(readyMessage({}, { rendered: () => stopped }))).toEqual(stopped);
  });

  it('evaluateGates returns the verdict of the first gate that stops the message', () => {
    const until = new Date('2026-03-01T13:00:00.000Z');
    const deferring = gate(({ row }) =>
      row.id === messageRow().id ? { verdict: 'deferred', until, reason: 'duplicate' } : { verdict: 'pass' },
    );
    const list = [...gates({ resendsAmbiguous: false }), deferring, gate(unasked)];
    expect(evaluateGates(list, readyMessage(), moment)).toEqual({ verdict: 'deferred', until, reason: 'duplicate' });
  });
});
