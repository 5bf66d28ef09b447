import { describe, expect, it } from 'vitest';
import { testScope } from '../../../../test/support/scopes.ts';
import { CHANNELS } from '../../../foundation/channel.ts';
import { firstIdOf, momentId } from '../../../foundation/derived-id.ts';
import { scopeOf } from '../../../foundation/scope.ts';
import { RAISED_NAMES } from '../../../people/events/catalog.ts';
import { NO_CAUSE } from '../../../people/events/emit.ts';
import { MESSAGE_SPAN_MS } from '../lifecycle.ts';
import { MESSAGE_STATUSES, type MessageStatus } from '../schema.ts';
import { eventsOfMessageChange } from './catalog-events.ts';

type ToldChange = Parameters<typeof eventsOfMessageChange>[0];

const scope = testScope({ orgId: 'o', projectId: 'p', environment: 'test' });
const made = new Date('2026-03-01T10:00:00.000Z');
const messageId = firstIdOf(made.getTime());
const at = new Date(made.getTime() + 2_000);
const change = (more: Partial<ToldChange> = {}): ToldChange => ({
  ...scopeOf(scope),
  messageId,
  sendId: 's1',
  channel: 'push',
  person: 'u:ann',
  from: 'sending',
  status: 'sent',
  reason: null,
  errorCode: null,
  at,
  ...more,
});
const names = (more: Partial<ToldChange>): string[] =>
  eventsOfMessageChange(change(more), NO_CAUSE).map(({ name }) => name);

describe('catalog events of message changes', () => {
  it('an event names the user, message, send, time, reason and depth', () => {
    const failed = { status: 'failed', reason: 'dead', errorCode: 'Unregistered' } as const;
    expect(eventsOfMessageChange(change(failed), { depth: 3, budget: { runs: 9, budgetRunId: 'r1' } })).toEqual([
      {
        id: momentId(at, messageId, 0),
        name: 'push.failed',
        scope: scopeOf(scope),
        person: 'u:ann',
        properties: { sendId: 's1', messageId, reason: 'dead', errorCode: 'Unregistered' },
        at,
        depth: 3,
        budget: { runs: 9, budgetRunId: 'r1' },
        isKept: false,
      },
    ]);
    expect(eventsOfMessageChange(change(), NO_CAUSE)[0]?.properties).toEqual({ sendId: 's1', messageId });
  });

  it('each ending that the catalog names raises one event; others raise none', () => {
    const eventNames = CHANNELS.map((channel) => [
      channel,
      MESSAGE_STATUSES.flatMap((status) => names({ channel, status, from: null })),
    ]);
    expect(Object.fromEntries(eventNames)).toEqual({
      push: ['push.sent', 'push.failed', 'push.failed', 'push.suppressed', 'push.cancelled'],
      email: ['email.bounced'],
      sms: ['sms.failed'],
    });
  });

  it('event names match those that are read from message rows', () => {
    const all = CHANNELS.flatMap((channel) =>
      MESSAGE_STATUSES.map((status) => change({ channel, status, from: null })),
    );
    const events = all.flatMap((one) => eventsOfMessageChange(one, NO_CAUSE));
    expect(new Set(events.map(({ name }) => RAISED_NAMES[name].kept))).toEqual(new Set(['message']));
  });

  it('a change without an ending raises no event', () => {
    const waits: MessageStatus[] = ['queued', 'deferred', 'sending', 'delivered'];
    expect(waits.flatMap((status) => names({ status }))).toEqual([]);
    expect(names({ from: 'sent', status: 'sent' })).toEqual([]);
  });

  it('events too late for the message history are stored as event rows', () => {
    const isKept = (ms: number) =>
      eventsOfMessageChange(change({ at: new Date(made.getTime() + ms) }), NO_CAUSE).map((event) => event.isKept);
    expect(isKept(MESSAGE_SPAN_MS)).toEqual([false]);
    expect(isKept(MESSAGE_SPAN_MS + 1)).toEqual([true]);
  });
});
