import { describe, expect, it } from 'vitest';
import { messageRow, readyMessage } from '../../../../../test/support/sends/message.ts';
import { checkGates } from '../../accept/dry-run.ts';
import { MAX_ATTEMPTS } from '../../verdict.ts';
import type { ReadyMessage } from '../message.ts';
import { evaluateGates, gates } from './evaluate.ts';
import type { Gate, Moment } from './gate.ts';

const moment: Moment = { now: new Date('2026-03-01T12:00:00.000Z'), sendStatus: 'queued' };
const neverCalled = (): never => {
  throw new Error('rendered too early');
};
/** A gate for tests that need no explanation. */
const gate = (evaluateWith: Gate['evaluate']): Gate => ({
  name: 'test',
  evaluate: evaluateWith,
  evidence: () => ({}),
  stopped: () => false,
  storedEvidence: () => ({}),
});
const evaluated = (message: ReadyMessage, more: Partial<Moment> = {}, resendsAmbiguous = false) =>
  evaluateGates(gates({ resendsAmbiguous }), message, { ...moment, ...more });

describe('the delivery gates', () => {
  it('dry runs know every gate', () => {
    expect(() => checkGates(gates({ resendsAmbiguous: false }))).not.toThrow();
    expect(() => checkGates([gate(() => ({ verdict: 'pass' }))])).toThrow('dry runs do not know the gate test');
  });

  it('a valid message passes every gate', () => {
    expect(evaluated(readyMessage())).toEqual({ verdict: 'pass' });
    expect(evaluated(readyMessage(), { sendStatus: 'sending' })).toEqual({ verdict: 'pass' });
    expect(evaluated(readyMessage({ status: 'deferred' }))).toEqual({ verdict: 'pass' });
  });

  it('a cancelled, a finished and a deleted send stop a message before it is rendered', () => {
    const message = readyMessage({}, { rendered: neverCalled });
    for (const sendStatus of ['cancelled', 'sent', 'failed', 'suppressed', null] as const)
      expect(evaluated(message, { sendStatus })).toEqual({ verdict: 'cancelled' });
  });

  it('a cancel is checked before the address', () => {
    const message = readyMessage({ address: null }, { rendered: neverCalled });
    expect(evaluated(message, { sendStatus: 'cancelled' })).toEqual({ verdict: 'cancelled' });
  });

  it('a message without an address is suppressed before it is rendered', () => {
    expect(evaluated(readyMessage({ address: null }, { rendered: neverCalled }))).toEqual({
      verdict: 'suppressed',
      reason: 'no_address',
    });
  });

  it('an unusable address is suppressed before rendering', () => {
    const addressState = { unusable: 'token_inactive', timezone: null, locale: null } as const;
    expect(evaluated(readyMessage({}, { addressState, rendered: neverCalled }))).toEqual({
      verdict: 'suppressed',
      reason: 'token_inactive',
    });
    expect(evaluated(readyMessage({}, { addressState: { ...addressState, unusable: null } }))).toEqual({
      verdict: 'pass',
    });
  });

  it('a listed address is suppressed before rendering', () => {
    const listed = [{ reason: 'bounced_address', sender: '' }] as const;
    const addressState = { unusable: null, timezone: null, locale: null, listed };
    expect(evaluated(readyMessage({}, { addressState, rendered: neverCalled }))).toEqual({
      verdict: 'suppressed',
      reason: 'bounced_address',
    });
  });

  it('a text message handed over without an answer fails unless repeats are allowed', () => {
    const lost = { channel: 'sms', status: 'sending', attempt: 1 } as const;
    expect(evaluated(readyMessage(lost))).toMatchObject({ verdict: 'failed', code: 'ambiguous_outcome' });
    expect(evaluated(readyMessage(lost), {}, true)).toEqual({ verdict: 'pass' });
    expect(evaluated(readyMessage({ ...lost, channel: 'push' }))).toEqual({ verdict: 'pass' });
    expect(evaluated(readyMessage({ ...lost, status: 'queued' }))).toEqual({ verdict: 'pass' });
  });

  it('a message whose channel lost its provider fails', () => {
    expect(evaluated(readyMessage({}, { connection: null, rendered: neverCalled }))).toMatchObject({
      verdict: 'failed',
      code: 'provider_not_configured',
    });
  });

  it('a message handed over six times without an answer fails', () => {
    const lost = { status: 'sending', attempt: MAX_ATTEMPTS } as const;
    expect(evaluated(readyMessage(lost))).toMatchObject({ verdict: 'failed', code: 'attempts_exhausted' });
    expect(evaluated(readyMessage({ ...lost, attempt: MAX_ATTEMPTS - 1 }))).toEqual({ verdict: 'pass' });
    expect(evaluated(readyMessage({ ...lost, status: 'queued' }))).toEqual({ verdict: 'pass' });
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
    const fixes: (() => void)[] = [
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
    const found = fixes.map((fix) => {
      fix();
      const sendStatus = isCancelled ? 'cancelled' : 'sending';
      const verdict = evaluated(readyMessage(row, ready), { sendStatus }, resends);
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
    expect(evaluated(readyMessage({}, { senders, send: from('a@good.test') }))).toEqual({ verdict: 'pass' });
    expect(evaluated(readyMessage({}, { senders, send: from('a@bad.test'), rendered: neverCalled }))).toMatchObject(
      failed,
    );
    expect(evaluated(readyMessage({ channel: 'push' }, { senders, send: from('a@bad.test') }))).toEqual({
      verdict: 'pass',
    });
    // Safe: the gate reads these two fields only.
    const carriedBy = (provider: string, email: string) =>
      ({ provider, defaultFrom: { email, name: null } }) as ReadyMessage['connection'];
    expect(
      evaluated(
        readyMessage({}, { senders, send: null, connection: carriedBy('smtp', 'a@bad.test'), rendered: neverCalled }),
      ),
    ).toMatchObject(failed);
    expect(evaluated(readyMessage({}, { senders, connection: carriedBy('sandbox', 'a@bad.test') }))).toEqual({
      verdict: 'pass',
    });
  });

  it('a rendering failure is the verdict of the rendering gate', () => {
    const stopped = { verdict: 'suppressed', reason: 'empty_body' } as const;
    expect(evaluated(readyMessage({}, { rendered: () => stopped }))).toEqual(stopped);
  });

  it('evaluateGates returns the verdict of the first gate that stops the message', () => {
    const until = new Date('2026-03-01T13:00:00.000Z');
    const deferring = gate(({ row }) =>
      row.id === messageRow().id ? { verdict: 'deferred', until, reason: 'duplicate' } : { verdict: 'pass' },
    );
    const list = [...gates({ resendsAmbiguous: false }), deferring, gate(neverCalled)];
    expect(evaluateGates(list, readyMessage(), moment)).toEqual({ verdict: 'deferred', until, reason: 'duplicate' });
  });
});
