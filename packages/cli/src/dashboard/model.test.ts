import { describe, expect, it } from 'vitest';
import { clean } from '../text.ts';
import {
  type Action,
  emptyModel,
  KEY_HELP,
  type Model,
  rowsOf,
  selectedDelivery,
  sparkline,
  after as step,
  typedAs,
} from './model.ts';
import type { Reading } from './reading.ts';

const EVIL = '\u001b]0;owned\u0007\u001b[31mShop\u202e';
const scope = { scopeId: 1, orgId: 'o', projectId: 'p', environment: 'prod' } as Reading['deliveries'][number]['scope'];
const reading = (seconds: number, events: number): Reading => ({
  at: new Date(Date.UTC(2026, 10, 20, 8, 0, seconds)),
  health: 'ok',
  events,
  usage: [{ org: EVIL, plan: 'growth', events }],
  queues: [{ name: 'messages', due: 3, oldestSeconds: 61, expired: 0, claimed: 4, scheduled: 5 }],
  sends: [{ project: EVIL, channel: 'email', sent: 7, failed: 1, retrying: 0, windowMinutes: 60, perSecond: events }],
  providers: [{ project: 'Shop', provider: EVIL, sent: 7, failed: 1, p95Ms: events === 0 ? null : 1_234.4 }],
  failures: [{ project: 'Shop', reason: EVIL, count: 2 }],
  deliveries: ['one', 'two'].map((id) => ({
    scope,
    id,
    host: `${id}.example`,
    eventType: EVIL,
    reason: null,
    nextAttemptAt: null,
  })),
  refusals: [{ route: '/events', count: events }],
});
const read = (seconds: number, events: number): Action => ({ kind: 'read', reading: reading(seconds, events) });
const text = (typed: string): Action => ({ kind: 'text', text: typed });
const key = (name: Extract<Action, { kind: 'key' }>['key']): Action => ({ kind: 'key', key: name });
const play = (...actions: readonly Action[]): Model => actions.reduce(step, emptyModel);

describe('the dashboard', () => {
  it('the throughput panel shows events per second with a sparkline', () => {
    const model = play(read(0, 100), read(1, 100), read(3, 300), read(4, 150));
    expect(rowsOf(model, 'throughput')[0]).toBe('events/s  0.0  ▁█▁');
    expect(rowsOf(play(read(0, 0), read(2, 5)), 'throughput')[0]).toBe('events/s  2.5  █');
    expect(sparkline([0, 1, 2, 4, 7])).toBe('▁▂▃▅█');
  });

  it('panels show send rates, provider counts, queue states and next webhook attempts', () => {
    const again = new Date(Date.UTC(2026, 10, 20, 8, 0, 41, 1));
    const withMetrics = reading(0, 3);
    const deliveries = withMetrics.deliveries.map((one, at) => ({ ...one, nextAttemptAt: at === 0 ? again : null }));
    const model = play(read(0, 0), { kind: 'read', reading: { ...withMetrics, deliveries } });
    expect(rowsOf(model, 'throughput')[1]).toBe('email/s  3.0  ▁█');
    expect(rowsOf(model, 'providers')).toEqual(['Shop Shop  7 sent, 1 failed, p95 1234 ms']);
    expect(rowsOf(play(read(0, 0)), 'providers')).toEqual(['Shop Shop  7 sent, 1 failed']);
    expect(rowsOf(model, 'queues')).toEqual(['messages  3 due (oldest 61 s), 4 claimed, 5 scheduled']);
    expect(rowsOf(model, 'webhooks').map((row) => row.split('  ').at(-1))).toEqual([
      'retry in 42 s',
      'no more attempts',
    ]);
  });

  it('the limits panel shows rate-limited requests if metrics are available', () => {
    expect(rowsOf(play(read(0, 4), read(2, 8)), 'limits').slice(1)).toEqual([
      'rate-limited/s  2.0  █  8 requests since the server started',
      '/events  8 rate-limited',
    ]);
    const silent = { ...reading(0, 1), refusals: null };
    expect(rowsOf(play({ kind: 'read', reading: silent }), 'limits').at(-1)).toContain('metrics.port');
  });

  it('the dashboard keeps one minute of readings, and none while paused', () => {
    const many = Array.from({ length: 80 }, (_, at) => read(at, at));
    expect(play(...many).readings).toHaveLength(60);
    expect(play(read(0, 1), text('p'), read(1, 2)).readings).toHaveLength(1);
    expect(play(read(0, 1), text('p'), text('p'), read(1, 2)).readings).toHaveLength(2);
  });

  it('tab selects the next panel, and arrows select rows', () => {
    expect(play(key('tab')).panel).toBe('queues');
    expect(play(...Array<Action>(6).fill(key('tab'))).panel).toBe('throughput');
    const webhooks = [read(0, 0), ...Array<Action>(3).fill(key('tab'))];
    expect(selectedDelivery(play(...webhooks))?.id).toBe('one');
    expect(selectedDelivery(play(...webhooks, key('down'), key('down')))?.id).toBe('two');
    expect(selectedDelivery(play(...webhooks, text('/'), text('TWO'), key('enter')))?.id).toBe('two');
    expect(selectedDelivery(play(read(0, 0)))).toBe(null);
  });

  it('? shows the list of keys, and ? or escape hides it', () => {
    expect(play(text('?'))).toMatchObject({ isHelping: true });
    expect(play(text('?'), text('?'))).toMatchObject({ isHelping: false });
    const kept = play(read(0, 1), text('/'), text('x'), key('enter'), text('?'), key('escape'));
    expect(kept).toMatchObject({ isHelping: false, filter: 'x' });
    expect(play(text('/'), text('?'))).toMatchObject({ isHelping: false, typing: '?' });
    expect(KEY_HELP.map(([name]) => name)).toEqual(['q', '?', 'tab', '↑ ↓', 'enter', '/', 'esc', 'p', 'r']);
  });

  it('keys are text while a filter is typed', () => {
    const model = play(text('/'), text('p'), text('x'), key('backspace'), text('q'));
    expect(model).toMatchObject({ typing: 'pq', isPaused: false });
    expect(step(model, key('enter'))).toMatchObject({ typing: null, filter: 'pq' });
    expect(step(model, key('escape'))).toMatchObject({ typing: null, filter: '' });
  });

  it('several keys in one input are handled one by one', () => {
    expect(play(...typedAs('/zzz'))).toMatchObject({ typing: 'zzz' });
    expect(play(...typedAs('/zzz\u007f\rp\t'))).toMatchObject({
      ...{ filter: 'zz', typing: null, isPaused: true, panel: 'queues' },
    });
  });

  it('the dashboard removes control sequences from all text', () => {
    const model = play(read(0, 1), { kind: 'note', note: EVIL }, text('/'), text(EVIL));
    const all = [
      ...(['throughput', 'queues', 'providers', 'webhooks', 'failures', 'limits'] as const).flatMap((panel) =>
        rowsOf({ ...model, typing: null }, panel),
      ),
      model.note ?? '',
      model.typing ?? '',
    ].join('|');
    expect(all).toContain('Shop');
    expect(clean(all)).toBe(all);
    expect(all).not.toMatch(/owned|31m/);
  });
});
