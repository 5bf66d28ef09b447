import { describe, expect, it } from 'vitest';
import { messageChange } from '../../../../test/support/sends/message.ts';
import { settledRow } from './finalize.ts';

describe('the row of a changed message', () => {
  const at = new Date('2026-03-01T12:00:00.000Z');
  const row = (change: Parameters<typeof messageChange>[0]) => settledRow(messageChange({ at, ...change }));

  it('has the moment of its end once it has ended, and of its sending where it was sent', () => {
    expect(row({ status: 'sent' })).toMatchObject({ sentAt: at, finishedAt: at, dueAt: null });
    for (const status of ['failed', 'bounced', 'suppressed', 'cancelled'] as const)
      expect(row({ status })).toMatchObject({ sentAt: null, finishedAt: at, dueAt: null });
  });

  it('has no end while the message comes again', () => {
    const dueAt = new Date(at.getTime() + 1_000);
    for (const status of ['queued', 'deferred'] as const)
      expect(row({ status, dueAt })).toMatchObject({ status, sentAt: null, finishedAt: null, dueAt });
  });

  it('has the moment at which it was deferred, where it is', () => {
    expect(row({ status: 'deferred', from: 'queued', dueAt: at })).toMatchObject({ deferredAt: at, deferredUntil: at });
    expect(row({ status: 'queued', dueAt: at })).toMatchObject({ deferredAt: null, deferredUntil: null });
  });
});
