import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RealCli, realCli } from '../../test/support/real.ts';

describe('settings', () => {
  let real: RealCli;
  beforeEach(async () => {
    real = await realCli();
  });
  afterEach(() => real.close());

  const get = (...argv: string[]) => real.run(['settings', 'get', ...argv]);
  const set = (...argv: string[]) => real.run(['settings', 'set', ...argv]);

  it('`settings get` prints all settings without providers, or one key', async () => {
    const all = await get('push', '--env', 'test');
    expect(all.code).toBe(0);
    expect(all.out).toContain('orgDefaultTimezone: null\n');
    expect(all.out).toContain('quietHours.start: 22:00\nquietHours.end: 08:00\nquietHours.days: []\n');
    expect(all.out).not.toContain('apns');
    expect((await get('push', 'quietHours.start', '--env', 'test')).out).toBe('22:00\n');
    expect((await get('push', 'quietHours', '--env', 'test')).out).toContain('quietHours.enabled: false\n');
    const json = await get('sms', 'quietHours', '--env', 'test', '--json');
    expect(JSON.parse(json.out)).toMatchObject({ success: true, data: { enabled: false, maxDeferMinutes: 1_440 } });
  });

  it('`settings set` changes one key in the given environment and keeps the others', async () => {
    expect(await set('push', 'quietHours.enabled', 'true', '--env', 'prod')).toMatchObject({
      code: 0,
      out: 'quietHours.enabled: true\n',
    });
    expect((await set('push', 'quietHours.days', '["fri","sat"]', '--env', 'prod')).out).toBe(
      'quietHours.days: ["fri","sat"]\n',
    );
    await set('push', 'quietHours.start', '21:30', '--env', 'prod');
    await set('push', 'orgDefaultTimezone', 'Europe/Paris', '--env', 'prod');
    const prod = JSON.parse((await get('push', '--env', 'prod', '--json')).out).data;
    expect(prod).toMatchObject({
      orgDefaultTimezone: 'Europe/Paris',
      quietHours: { enabled: true, days: ['fri', 'sat'], start: '21:30', end: '08:00' },
    });
    expect(JSON.parse((await get('push', '--env', 'test', '--json')).out).data).toMatchObject({
      orgDefaultTimezone: null,
      quietHours: { enabled: false },
    });
    expect((await get('email', 'orgDefaultTimezone', '--env', 'prod')).out).toBe('Europe/Paris\n');
    expect((await set('push', 'quietHours.days', 'null', '--env', 'prod')).out).toBe('quietHours.days: []\n');
    expect((await set('push', 'quietHours', 'null', '--env', 'prod')).out).toContain('quietHours.enabled: false\n');
  });

  it('reactivateOnRegister of push is false until it is set', async () => {
    expect((await get('push', 'reactivateOnRegister', '--env', 'test')).out).toBe('false\n');
    expect(await set('push', 'reactivateOnRegister', 'true', '--env', 'test')).toMatchObject({
      code: 0,
      out: 'reactivateOnRegister: true\n',
    });
    expect((await get('push', '--env', 'test')).out).toContain('reactivateOnRegister: true\n');
    expect((await get('push', 'reactivateOnRegister', '--env', 'prod')).out).toBe('false\n');
    expect((await set('push', 'reactivateOnRegister', 'sometimes', '--env', 'test')).code).toBe(5);
    expect((await set('email', 'reactivateOnRegister', 'true', '--env', 'test')).code).toBe(5);
    expect((await set('push', 'reactivateOnRegister', 'null', '--env', 'test')).out).toBe(
      'reactivateOnRegister: false\n',
    );
  });

  it('`settings set` reads one or several settings from a file or stdin', async () => {
    const whole = JSON.stringify({ enabled: true, start: '20:00', end: '09:00' });
    const one = await real.run(['settings', 'set', 'email', 'quietHours', '--file', '-', '--env', 'test'], {
      stdin: whole,
    });
    expect(one.out).toContain('quietHours.start: 20:00\n');
    const stdin = JSON.stringify({ orgDefaultTimezone: 'UTC', 'quietHours.end': '10:00', 'quietHours.start': '21:00' });
    await real.run(['settings', 'set', 'email', '--file', '-', '--env', 'test'], { stdin });
    expect(JSON.parse((await get('email', '--env', 'test', '--json')).out).data).toMatchObject({
      orgDefaultTimezone: 'UTC',
      quietHours: { enabled: true, start: '21:00', end: '10:00' },
    });
    const list = await real.run(['settings', 'set', 'email', '--file', '-', '--env', 'test'], { stdin: '[]' });
    expect(list).toMatchObject({ code: 5, out: '' });
  });

  it('`settings set` names invalid settings and changes nothing', async () => {
    const wrong = await set('push', 'quietHours.start', '25:00', '--env', 'test');
    expect([wrong.code, wrong.out]).toEqual([5, '']);
    expect(wrong.err).toContain('quietHours.start');
    expect((await set('push', 'quietHour.start', '21:00', '--env', 'test')).code).toBe(5);
    expect((await get('push', 'quietHours.start', '--env', 'test')).out).toBe('22:00\n');
    expect(await get('push', 'quietHour', '--env', 'test')).toMatchObject({ code: 1, out: '' });
  });

  it('a misspelt setting names the nearest one, in get and in set', async () => {
    const stderrOf = async (...argv: string[]) => (await real.run(['settings', ...argv, '--env', 'test'])).err;
    expect(await stderrOf('get', 'push', 'quietHour')).toContain(
      'push has no setting quietHour (did you mean quietHours?).',
    );
    expect(await stderrOf('get', 'push', 'quietHours.enable')).toContain('(did you mean quietHours.enabled?)');
    expect(await stderrOf('set', 'push', 'quietHour.start', '21:00')).toContain('(did you mean quietHours.start?)');
    expect(await stderrOf('set', 'push', 'orgDefaultTimezon', 'UTC')).toContain('(did you mean orgDefaultTimezone?)');
    expect(await stderrOf('set', 'email', 'tracking.open', 'true')).toContain('(did you mean tracking.opens?)');
    expect(await stderrOf('set', 'push', 'quietHours.start', '25:00')).not.toContain('did you mean');
    expect(await stderrOf('get', 'push', 'nothing.of.the.kind')).not.toContain('did you mean');
    const file = await real.run(['settings', 'set', 'push', '--file', '-', '--env', 'test'], {
      stdin: '{"quitHours":{}}',
    });
    expect([file.code, file.err]).toEqual([5, expect.stringContaining('(did you mean quietHours?)')]);
  });

  it.each([
    ['without an environment', ['get', 'push']],
    ['of a channel that there is not', ['get', 'fax', '--env', 'test']],
    ['without a value', ['set', 'push', 'quietHours.enabled', '--env', 'test']],
    ['with two values', ['set', 'push', 'quietHours', '{}', '--file', 'x.json', '--env', 'test']],
    ['without anything', ['set', 'push', '--env', 'test']],
    ['under a key that is none', ['set', 'push', 'quietHours.', 'true', '--env', 'test']],
    ['that are credentials', ['set', 'email', 'smtp.password', 'secret', '--env', 'prod']],
  ])('`settings` exits 2 and changes nothing %s', async (_, argv) => {
    const stored = async () =>
      Promise.all((['push', 'email'] as const).map((channel) => real.beckon.settings.get(real.scope, channel)));
    const before = await stored();
    expect((await real.run(['settings', ...argv])).code).toBe(2);
    expect(await stored()).toEqual(before);
  });
});
