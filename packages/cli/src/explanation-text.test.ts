import type { ExplainedMessage, Message, MessageExplanation } from '@beckon/core';
import { describe, expect, it } from 'vitest';
import { explanationLines } from './explanation-text.ts';

const AT = new Date('2026-11-20T08:00:00.000Z');
const MESSAGE: Message = {
  id: 'm1',
  sendId: 's1',
  channel: 'email',
  userId: 'ada',
  address: 'ada@example.com',
  platform: null,
  role: 'to',
  status: 'sent',
  reason: null,
  errorCode: null,
  error: null,
  providerId: null,
  attempt: 1,
  createdAt: AT,
  deferredUntil: null,
  sentAt: AT,
  deliveredAt: null,
  openedAt: null,
  clickedAt: null,
  clickAction: null,
  machine: false,
  complainedAt: null,
  unsubscribedAt: null,
  variant: null,
};

const explained = (explanation: Partial<MessageExplanation>, message: Partial<Message> = {}): ExplainedMessage => ({
  ...MESSAGE,
  ...message,
  explanation: { evaluated: 'from_record', stoppedBy: null, waitingFor: null, gates: [], ...explanation },
});

describe('the explanation of a message', () => {
  const lines = (message: ExplainedMessage, isTTY = false): string =>
    // As in the API.
    explanationLines(JSON.parse(JSON.stringify(message)), { isTTY }).join('\n');
  const until = new Date('2026-03-01T12:00:00.000Z');

  it('an explanation shows the check that stopped the message, and each check with its evidence', () => {
    const text = lines(
      explained(
        {
          stoppedBy: 'address_usable',
          gates: [
            { gate: 'send_open', verdict: 'pass', evidence: {} },
            {
              gate: 'address_usable',
              verdict: 'suppressed',
              reason: 'no_address',
              evidence: { address: null, unusable: null },
            },
            { gate: 'rendering', verdict: 'not_reached', evidence: {} },
          ],
        },
        { address: null },
      ),
    );
    expect(text).toContain('stopped by: address_usable\n');
    expect(text).not.toContain('waiting for');
    expect(text.split('\n\n')[1]).toBe(
      'send_open: pass\naddress_usable: suppressed, no_address  (address=none, unusable=none)\nrendering: not reached',
    );
  });

  it('an explanation shows why a message failed and until when it is deferred', () => {
    const gates: MessageExplanation['gates'] = [
      { gate: 'a', verdict: 'failed', errorCode: 'too_large', error: 'It is.', evidence: { hasContent: true } },
      { gate: 'b', verdict: 'deferred', reason: 'duplicate', deferredUntil: until, evidence: {} },
    ];
    expect(lines(explained({ gates })).split('\n\n')[1]).toBe(
      'a: failed, too_large: It is.  (hasContent=true)\nb: deferred until 2026-03-01T12:00:00.000Z, duplicate',
    );
  });

  it.each([
    [{ kind: 'worker', until: null }, 'waiting for: a worker\n'],
    [{ kind: 'retry', until }, 'waiting for: the next attempt after a failure, until 2026-03-01T12:00:00.000Z\n'],
  ] as const)('an explanation shows what an open message waits for: %o', (waitingFor, text) => {
    expect(lines(explained({ evaluated: 'now', waitingFor }))).toContain(text);
  });

  it('an explanation shortens device tokens only on a terminal', () => {
    const address = 'abcdefgh12345678';
    const gates = [{ gate: 'address_usable', verdict: 'pass', evidence: { address } }] as const;
    const message = explained({ gates }, { channel: 'push', address });
    expect(lines(message).split(address)).toHaveLength(3);
    expect(lines(message, true).split('…12345678')).toHaveLength(3);
    expect(lines(message, true)).not.toContain(address);
  });
});
