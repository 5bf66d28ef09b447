import { describe, expect, it } from 'vitest';
import { isFirst } from '../rows.ts';
import { MAX_ATTEMPTS } from '../verdict.ts';
import { GATES, type GateContext, type GateMessage, judge } from './gates.ts';

const message: GateMessage = { channel: 'email', address: 'ann@example.com', status: 'queued', attempt: 0 };
const context: GateContext = {
  sendStatus: 'queued',
  unusable: null,
  hasProvider: true,
  resendsAmbiguous: false,
  rendered: () => ({ verdict: 'pass', message: null }),
};
const unasked = (): never => {
  throw new Error('rendered too early');
};

describe('the gates', () => {
  it('let a good message pass', () => {
    expect(judge(GATES, message, context)).toEqual({ verdict: 'pass' });
    expect(judge(GATES, message, { ...context, sendStatus: 'sending' })).toEqual({ verdict: 'pass' });
  });

  it('stop a message of a cancelled, a final and a missing send before anything is rendered', () => {
    for (const sendStatus of ['cancelled', 'sent', 'failed', 'suppressed', null] as const)
      expect(judge(GATES, message, { ...context, sendStatus, rendered: unasked })).toEqual({ verdict: 'cancelled' });
  });

  it('look at cancelling before the address', () => {
    const both = { ...context, sendStatus: 'cancelled', rendered: unasked } as const;
    expect(judge(GATES, { ...message, address: null }, both)).toEqual({ verdict: 'cancelled' });
  });

  it('suppress a message without address before it is rendered', () => {
    expect(judge(GATES, { ...message, address: null }, { ...context, rendered: unasked })).toEqual({
      verdict: 'suppressed',
      reason: 'no_address',
    });
  });

  it('suppress what its channel will not send to any more before it is rendered', () => {
    expect(judge(GATES, message, { ...context, unusable: 'token_inactive', rendered: unasked })).toEqual({
      verdict: 'suppressed',
      reason: 'token_inactive',
    });
  });

  it('fail a text message that was given away without an answer, unless it may be sent twice', () => {
    const lost = { ...message, channel: 'sms', status: 'sending', attempt: 1 } as const;
    expect(judge(GATES, lost, context)).toMatchObject({ verdict: 'failed', code: 'ambiguous_outcome' });
    expect(judge(GATES, lost, { ...context, resendsAmbiguous: true })).toEqual({ verdict: 'pass' });
    expect(judge(GATES, { ...lost, channel: 'push' }, context)).toEqual({ verdict: 'pass' });
    expect(judge(GATES, { ...lost, status: 'queued' }, context)).toEqual({ verdict: 'pass' });
  });

  it('fail a message whose channel has lost its provider', () => {
    expect(judge(GATES, message, { ...context, hasProvider: false, rendered: unasked })).toMatchObject({
      verdict: 'failed',
      code: 'provider_not_configured',
    });
  });

  it('fail a message that was given away six times without an answer', () => {
    const lost = { ...message, status: 'sending', attempt: MAX_ATTEMPTS } as const;
    expect(judge(GATES, lost, context)).toMatchObject({ verdict: 'failed', code: 'attempts_exhausted' });
    expect(judge(GATES, { ...lost, attempt: MAX_ATTEMPTS - 1 }, context)).toEqual({ verdict: 'pass' });
    expect(judge(GATES, { ...lost, status: 'queued' }, context)).toEqual({ verdict: 'pass' });
  });

  it('look at cancelling, a lost answer, attempts, the address, the provider and the text, in this order', () => {
    const worst = { channel: 'sms', address: null, status: 'sending', attempt: MAX_ATTEMPTS } as const;
    const context: GateContext = {
      sendStatus: 'cancelled',
      unusable: 'sms_stopped',
      hasProvider: false,
      resendsAmbiguous: false,
      rendered: () => ({ verdict: 'suppressed', reason: 'empty_body' }),
    };
    /** What stops the message, after each reason that was found before is out of the way. */
    const found: unknown[] = [];
    const given: { message: GateMessage; context: GateContext } = { message: worst, context };
    const mends: (() => void)[] = [
      () => {
        given.context = { ...given.context, sendStatus: 'sending' };
      },
      () => {
        given.context = { ...given.context, resendsAmbiguous: true };
      },
      () => {
        given.message = { ...given.message, attempt: MAX_ATTEMPTS - 1 };
      },
      () => {
        given.message = { ...given.message, address: '+14155550199' };
      },
      () => {
        given.context = { ...given.context, unusable: null };
      },
      () => {
        given.context = { ...given.context, hasProvider: true };
      },
    ];
    for (const mend of [() => undefined, ...mends]) {
      mend();
      const verdict = judge(GATES, given.message, given.context);
      found.push('code' in verdict ? verdict.code : 'reason' in verdict ? verdict.reason : verdict.verdict);
    }
    expect(found).toEqual([
      'cancelled',
      'ambiguous_outcome',
      'attempts_exhausted',
      'no_address',
      'sms_stopped',
      'provider_not_configured',
      'empty_body',
    ]);
  });

  it('hand on what rendering says', () => {
    const stopped = { verdict: 'suppressed', reason: 'empty_body' } as const;
    expect(judge(GATES, message, { ...context, rendered: () => stopped })).toEqual(stopped);
  });
});

describe('the address of a new message', () => {
  it('may be used once in a send', () => {
    const seen = new Set<string>();
    expect(['a', 'b', 'a'].map((key) => isFirst(key, seen))).toEqual([true, true, false]);
  });
});
