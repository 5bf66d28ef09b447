import { describe, expect, it } from 'vitest';
import { type WayOptions, wayThrough } from '../../../../../test/support/runs/way.ts';
import { fieldErrorsOf } from '../../../../foundation/errors.ts';
import { stepTypes } from '../list.ts';

const START = '2026-03-01T10:00:00.000Z';
const refused = (config: object): string[] => {
  const { error } = stepTypes.schema.safeParse({ type: 'wait', config });
  return error ? Object.keys(fieldErrorsOf(error)) : [];
};
const wait = async (config: object, options: WayOptions = {}) => {
  const { passed, run } = await wayThrough(stepTypes, [{ type: 'wait', config: { ...config } }], {
    startsAt: START,
    ...options,
  });
  return { ...passed[0], run };
};

describe('a wait until a date', () => {
  it('a wait ends at the date of its template', async () => {
    const properties = { at: '2026-03-04T09:30:00+02:00', day: '2026-03-02' };
    expect(await wait({ until: '{{event.at}}' }, { properties })).toMatchObject({
      outcome: 'ok',
      at: '2026-03-04T07:30:00.000Z',
    });
    expect(await wait({ until: ' {{event.day}}T12:00Z ' }, { properties })).toMatchObject({
      at: '2026-03-02T12:00:00.000Z',
    });
    expect(await wait({ until: '{{trait.renews}}' }, { profile: { traits: { renews: '2026-04-01' } } })).toMatchObject({
      at: '2026-04-01T00:00:00.000Z',
    });
    const saved = { context: { slot: { at: '2026-03-05T00:00:00Z' } } };
    expect(await wait({ until: '{{steps.slot.at}}' }, { run: saved })).toMatchObject({
      at: '2026-03-05T00:00:00.000Z',
    });
  });

  it('Unix times as numbers or text, and a space instead of the T, are accepted', async () => {
    const date = '2026-03-05T12:00:00.000Z';
    const at = Date.parse(date);
    for (const value of [at, at / 1_000, String(at), String(at / 1_000), '2026-03-05 12:00:00', ' 2026-03-05 12:00 '])
      expect(await wait({ until: '{{event.at}}' }, { properties: { at: value } })).toMatchObject({
        outcome: 'ok',
        at: date,
      });
    expect(
      await wait({ until: '{{event.day}} {{event.time}}' }, { properties: { day: '2026-03-05', time: '12:00' } }),
    ).toMatchObject({
      at: date,
    });
    expect(await wait({ until: '1772712000' })).toMatchObject({ at: date });
  });

  it('a plain date begins at midnight of its time zone', async () => {
    const until = '2026-03-29';
    const paris = '2026-03-28T23:00:00.000Z';
    const newYork = '2026-03-29T04:00:00.000Z';
    const inParis = { profile: { timezone: 'Europe/Paris' } };
    expect(await wait({ until, timezone: 'Europe/Paris' })).toMatchObject({ at: paris });
    expect(await wait({ until, timezone: 'user' }, { ...inParis, orgTimezone: 'America/New_York' })).toMatchObject({
      at: paris,
    });
    expect(await wait({ until, timezone: 'user' }, { orgTimezone: 'America/New_York' })).toMatchObject({ at: newYork });
    expect(await wait({ until, timezone: 'org' }, { ...inParis, orgTimezone: 'America/New_York' })).toMatchObject({
      at: newYork,
    });
    for (const timezone of ['user', 'org'])
      expect(await wait({ until, timezone })).toMatchObject({ at: '2026-03-29T00:00:00.000Z' });
    expect(await wait({ until }, inParis)).toMatchObject({ at: '2026-03-29T00:00:00.000Z' });
  });

  it('a date with a time ignores the time zone', async () => {
    const until = '2026-03-29 12:00';
    expect(await wait({ until, timezone: 'America/New_York' })).toMatchObject({ at: '2026-03-29T12:00:00.000Z' });
    expect(refused({ until, timezone: 'Mars/Base' })).toEqual(['config.timezone']);
    expect(refused({ minutes: 1, timezone: 'UTC' })).toEqual(['config.timezone']);
  });

  it('offsetMinutes moves the date forward or back', async () => {
    const until = '2026-03-04T09:30:00Z';
    expect(await wait({ until, offsetMinutes: -90 })).toMatchObject({ at: '2026-03-04T08:00:00.000Z' });
    expect(await wait({ until, offsetMinutes: 1_440 })).toMatchObject({ at: '2026-03-05T09:30:00.000Z' });
  });

  it('a date beyond the last time that databases store is limited to it', async () => {
    const last = '9999-12-31T23:59:59.999Z';
    for (const config of [{ until: '9999-12-31T23:59:59-12:00' }, { until: '9999-12-31', offsetMinutes: 525_600 }])
      expect(await wait(config)).toMatchObject({ outcome: 'ok', at: last });
  });

  it('a past date is not waited for', async () => {
    for (const until of ['2026-02-28', START, '2020-01-01T00:00:00Z'])
      expect(await wait({ until })).toMatchObject({ outcome: 'ok', at: START });
    expect(await wait({ until: '2026-03-01T11:00:00Z', offsetMinutes: -60 })).toMatchObject({
      outcome: 'ok',
      at: START,
    });
  });

  it('a text that is not a date ends as an error, and stops the run with onError stop', async () => {
    for (const at of ['tomorrow', '', 1e300, '2026-02-30', { x: 1 }, true])
      expect(await wait({ until: '{{event.at}}' }, { properties: { at } })).toMatchObject({
        outcome: 'error',
        reason: 'invalid_date',
        at: START,
        run: { outcome: 'partial' },
      });
    const { run } = await wait({ until: '{{event.at}}', onError: 'stop' });
    expect(run).toMatchObject({ outcome: 'error', exitReason: 'on_error_stop', error: 'invalid_date' });
    const large = { properties: { at: 'x'.repeat(70_000) } };
    expect(await wait({ until: '{{event.at}}' }, large)).toMatchObject({ reason: 'invalid_date' });
  });

  it('a text that can never be a date is rejected', () => {
    expect(refused({ until: 'tomorrow' })).toEqual(['config.until']);
    expect(refused({ until: '2026-12-24T18:00:00+01:00' })).toEqual([]);
    expect(refused({ until: '{{event.at}}', offsetMinutes: 1.5 })).toEqual(['config.offsetMinutes']);
    expect(refused({ until: '{{event.at}}', offsetMinutes: -525_601 })).toEqual(['config.offsetMinutes']);
    expect(refused({ minutes: 1, offsetMinutes: 5 })).toEqual(['config.offsetMinutes']);
    expect(refused({ minutes: 1, until: '{{event.at}}' })).toEqual(['config']);
  });

  it('a variable of an unknown scope is reported', () => {
    const steps = [{ type: 'wait', config: { until: '{{when}}' } }];
    expect([...stepTypes.findings(steps, 'steps')]).toMatchObject([
      { path: 'steps.0.config.until', code: 'unknown_variable' },
    ]);
  });
});

describe('a wait of minutes', () => {
  it('minutes are independent of clock changes', async () => {
    const options = { startsAt: '2026-03-08T06:30:00.000Z', profile: { timezone: 'America/New_York' } };
    expect(await wait({ minutes: 1_440 }, options)).toMatchObject({ at: '2026-03-09T06:30:00.000Z' });
    expect(await wait({ minutes: 0 }, options)).toMatchObject({ outcome: 'ok', at: options.startsAt });
    expect(await wait({ minutes: 525_600 }, options)).toMatchObject({ at: '2027-03-08T06:30:00.000Z' });
  });
});
