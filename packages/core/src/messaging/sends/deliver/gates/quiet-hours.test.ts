import { describe, expect, it } from 'vitest';
import { messageRow, readyMessage } from '../../../../../test/support/sends/message.ts';
import type { Channel } from '../../../../foundation/channel.ts';
import { quietHours as quietHoursOf } from '../../../settings/schema.ts';
import { type DeliverySettings, viewOf } from '../../../settings/view.ts';
import type { ReadyMessage } from '../message.ts';
import { evaluateGates, gates } from './evaluate.ts';
import { quietHours } from './quiet-hours.ts';

const NIGHT = new Date('2026-03-08T03:30:00.000Z');
const MORNING = new Date('2026-03-08T12:00:00.000Z');
const NOON = new Date('2026-03-08T16:00:00.000Z');
const HOUR_MS = 3_600_000;

const set = (setting: object, channel: Channel = 'email'): DeliverySettings =>
  viewOf([{ name: `${channel}.quietHours`, value: quietHoursOf.parse({ enabled: true, ...setting }) }]);
/** An email to New York. */
const mail = (more: Partial<ReadyMessage> = {}, row: Partial<ReadyMessage['row']> = {}): ReadyMessage =>
  readyMessage({ createdAt: NIGHT, ...row }, { settings: set({}), timezone: 'America/New_York', ...more });
const evaluated = (message: ReadyMessage, now = NIGHT) => quietHours.evaluate(message, { now, sendStatus: 'queued' });

const PASS = { verdict: 'pass' };
const DEFERRED = { verdict: 'deferred', until: MORNING, reason: 'quiet_hours' };
const SUPPRESSED = { verdict: 'suppressed', reason: 'quiet_hours' };

describe('the quiet hours gate', () => {
  it('a message is deferred to the end of quiet hours in its zone', () => {
    expect(evaluated(mail())).toEqual(DEFERRED);
    expect(evaluated(mail(), MORNING)).toEqual(PASS);
    expect(evaluated(mail({ timezone: 'Asia/Tokyo' }))).toEqual(PASS);
  });

  it('without quiet hours every message passes', () => {
    expect(evaluated(mail({ settings: viewOf([]) }))).toEqual(PASS);
    expect(evaluated(mail({ settings: set({ enabled: false }) }))).toEqual(PASS);
    expect(evaluated(mail({ settings: set({ start: '03:00', end: '03:00' }) }))).toEqual(PASS);
  });

  it('each channel has its own quiet hours', () => {
    expect(evaluated(mail({}, { channel: 'push' }))).toEqual(PASS);
    expect(evaluated(mail({ settings: set({}, 'push') }, { channel: 'push' }))).toEqual(DEFERRED);
    expect(evaluated(mail({ settings: set({}, 'sms') }, { channel: 'sms' }))).toEqual(DEFERRED);
  });

  it('a message without a known time zone passes', () => {
    expect(evaluated(mail({ timezone: null }))).toEqual(PASS);
  });

  it('exempt classes pass; by default transactional messages are exempt', () => {
    const of = (kind: 'marketing' | 'transactional', setting = {}) =>
      evaluated(
        mail({
          send: { content: {}, variables: {}, class: kind, category: null, abTestId: null, step: null },
          settings: set(setting),
        }),
      );
    expect(of('transactional')).toEqual(PASS);
    expect(of('marketing')).toEqual(DEFERRED);
    expect(of('transactional', { exemptClasses: [] })).toEqual(DEFERRED);
    expect(of('marketing', { exemptClasses: ['marketing'] })).toEqual(PASS);
  });

  it('the setting can suppress messages instead', () => {
    expect(evaluated(mail({ settings: set({ behavior: 'suppress' }) }))).toEqual(SUPPRESSED);
    expect(evaluated(mail({ settings: set({ behavior: 'suppress' }) }), NOON)).toEqual(PASS);
  });

  it('a message deferred longer than the maximum since its first deferral is suppressed', () => {
    const waiting = (maxDeferMinutes: number, deferredAt: Date | null = null) =>
      evaluated(mail({ settings: set({ maxDeferMinutes }) }, { deferredAt }));
    expect(waiting(510)).toEqual(DEFERRED);
    expect(waiting(509)).toEqual(SUPPRESSED);
    const earlier = new Date(NIGHT.getTime() - HOUR_MS);
    expect(waiting(570, earlier)).toEqual(DEFERRED);
    expect(waiting(569, earlier)).toEqual(SUPPRESSED);
    // The default maximum is one day.
    const dayBefore = (ms: number) => new Date(MORNING.getTime() - 24 * HOUR_MS - ms);
    expect(evaluated(mail({}, { deferredAt: dayBefore(0) }))).toEqual(DEFERRED);
    expect(evaluated(mail({}, { deferredAt: dayBefore(1) }))).toEqual(SUPPRESSED);
  });

  it('quiet hours come after the final gates and before rendering', () => {
    const list = gates({ resendsAmbiguous: false });
    const rendered = (): never => {
      throw new Error('rendered too early');
    };
    const all = (message: ReadyMessage) => evaluateGates(list, message, { now: NIGHT, sendStatus: 'queued' });
    expect(all(mail({ rendered }))).toEqual(DEFERRED);
    expect(all(mail({ rendered, connection: null }))).toMatchObject({ code: 'provider_not_configured' });
    expect(all(mail({ rendered }, { address: null }))).toMatchObject({ reason: 'no_address' });
  });

  it('the evidence has the local time, the window and the end of quiet hours', () => {
    const evidence = (message: ReadyMessage, now = NIGHT) =>
      quietHours.evidence(message, { now, sendStatus: 'queued' });
    expect(evidence(mail({ settings: set({ days: ['sat', 'sun'] }) }))).toEqual({
      enabled: true,
      window: '22:00-08:00 sat sun',
      timezone: 'America/New_York',
      localTime: '2026-03-07T22:30:00',
      exempt: false,
      until: MORNING.toISOString(),
    });
    expect(evidence(mail(), MORNING)).toMatchObject({ localTime: '2026-03-08T08:00:00', until: null });
    expect(evidence(mail({ timezone: null }))).toMatchObject({ timezone: null, localTime: null, until: null });
    expect(evidence(mail({ settings: viewOf([]) }))).toEqual({ enabled: false });
  });

  it('an ended message tells whether quiet hours stopped it and when it was first deferred', () => {
    expect(quietHours.stopped(messageRow({ status: 'suppressed', reason: 'quiet_hours' }))).toBe(true);
    expect(quietHours.stopped(messageRow({ status: 'suppressed', reason: 'empty_body' }))).toBe(false);
    expect(quietHours.stopped(messageRow({ status: 'sent' }))).toBe(false);
    expect(quietHours.storedEvidence(messageRow({ deferredAt: NIGHT }))).toEqual({ deferredAt: NIGHT.toISOString() });
    expect(quietHours.storedEvidence(messageRow())).toEqual({ deferredAt: null });
  });
});
