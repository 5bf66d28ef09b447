import { describe, expect, it } from 'vitest';
import { messageChange } from '../../../../test/support/sends/message.ts';
import { finalizedValues } from './finalize.ts';

describe('settledRow', () => {
  const at = new Date('2026-03-01T12:00:00.000Z');
  const row = (change: Parameters<typeof messageChange>[0]) => finalizedValues(messageChange({ at, ...change }));

  it('an ended message has its end time, a sent one also its send time', () => {
    expect(row({ status: 'sent' })).toMatchObject({ sentAt: at, finishedAt: at, dueAt: null });
    for (const status of ['failed', 'bounced', 'suppressed', 'cancelled'] as const)
      expect(row({ status })).toMatchObject({ sentAt: null, finishedAt: at, dueAt: null });
  });

  it('a message that is due again has no end time', () => {
    const dueAt = new Date(at.getTime() + 1_000);
    for (const status of ['queued', 'deferred'] as const)
      expect(row({ status, dueAt })).toMatchObject({ status, sentAt: null, finishedAt: null, dueAt });
  });

  it('a deferred message has its deferral time', () => {
    expect(row({ status: 'deferred', from: 'queued', dueAt: at })).toMatchObject({ deferredAt: at, deferredUntil: at });
    expect(row({ status: 'queued', dueAt: at })).toMatchObject({ deferredAt: null, deferredUntil: null });
  });
});
