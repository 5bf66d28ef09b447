import { createHandler } from '@beckon/http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emptyCli } from '../test/support/empty.ts';
import { type RealCli, realCli } from '../test/support/real.ts';
import { EVENT_NAMES } from './names.ts';

const URL_OF_IT = 'https://beckon.example.com';
const DAY = ['--env', 'test'];

describe('event names', () => {
  it.each([
    ['webhooks', 'create'],
    ['webhooks', 'update'],
    ['webhooks', 'deliveries'],
    ['webhooks', 'listen'],
    ['events', 'tail'],
    ['analytics', 'events'],
    ['analytics', 'funnel'],
  ])('all 34 names of events are in the help of `%s %s`', async (...argv) => {
    const { run, io } = emptyCli();
    expect(await run(...argv, '--help')).toBe(0);
    const words = io.out().split(/[\s,]+/);
    expect(EVENT_NAMES).toHaveLength(34);
    expect(EVENT_NAMES.filter((name) => !words.includes(name))).toEqual([]);
    expect(
      Math.max(
        ...io
          .out()
          .split('\n')
          .slice(-14)
          .map((line) => line.length),
      ),
    ).toBeLessThanOrEqual(80);
    io.remove();
  });

  it.each([
    ['webhooks', 'create', 'https://shop.example/', '--events', 'sms.failed,push.openned'],
    ['webhooks', 'update', 'x', '--events', 'push.openned'],
    ['webhooks', 'listen', '--forward-to', 'http://localhost:1/', '--events', 'push.openned'],
    ['webhooks', 'deliveries', 'x', '--event', 'push.openned'],
  ])('`%s %s` rejects a misspelled event name with a suggestion and all allowed names', async (...argv) => {
    const { run, io } = emptyCli();
    expect(await run(...argv, ...DAY)).toBe(5);
    expect(io.err()).toContain(
      'Unknown event "push.openned" (did you mean push.opened?). Allowed: push.send_requested,',
    );
    io.remove();
  });

  it('`webhooks deliveries` takes the type of a test delivery', async () => {
    const { run, io } = emptyCli();
    expect(await run('webhooks', 'deliveries', 'x', '--event', 'webhook.tests', ...DAY)).toBe(5);
    expect(io.err()).toContain('did you mean webhook.test?');
    io.remove();
  });
});

describe('a misspelled event name', () => {
  let real: RealCli;
  let remote: (...argv: string[]) => ReturnType<RealCli['run']>;
  beforeAll(async () => {
    real = await realCli();
    const { orgId, projectId } = real.scope;
    const grants = [{ orgId, projectId }];
    const { secret } = await real.beckon.tenancy.createKey({ kind: 'secret', environment: 'test', grants });
    const handler = createHandler(real.beckon);
    remote = (...argv) =>
      real.run([...argv, '--url', URL_OF_IT], {
        env: { BECKON_API_KEY: secret },
        fetch: (url, init) => handler.fetch(new Request(url, init)),
      });
    await real.beckon.events.track(real.scope, { module: 'shop', eventType: 'order placed', userId: 'ada' });
  });
  afterAll(() => real.close());

  const local = (...argv: string[]) => real.run([...argv, '--env', 'test']);

  it.each(['local', 'remote'])('`events show` suggests the intended event, in %s mode', async (mode) => {
    const run = mode === 'local' ? local : remote;
    const wrong = await run('events', 'show', 'push.openned');
    expect([wrong.code, wrong.err]).toEqual([
      1,
      expect.stringContaining('"push.openned" is not an event id (did you mean the event push.opened?).'),
    ]);
    expect(wrong.err).toContain('beckon events tail --type push.opened --since 1d --env test');
    expect((await run('events', 'show', 'order placd')).err).toContain("--type 'order placed'");
    const right = await run('events', 'show', 'push.opened');
    expect([right.code, right.err]).toEqual([1, expect.stringContaining('"push.opened" is not an event id.')]);
    expect((await run('events', 'show', 'nothing-of-the-kind')).err).toContain('List events: beckon events list');
  });

  it.each(['local', 'remote'])(
    '`events tail`, `analytics events` and `analytics funnel` suggest a name where nothing is found, in %s mode',
    async (mode) => {
      const run = mode === 'local' ? local : remote;
      const note = 'No event "push.openned" (did you mean push.opened?).\n';
      expect((await run('events', 'tail', '--type', 'push.openned')).err).toBe(note);
      expect((await run('events', 'tail', '--type', 'push.*')).err).toBe('');
      expect((await run('events', 'tail', '--type', 'order place')).err).toContain('did you mean order placed?');
      expect((await run('analytics', 'events', '--type', 'push.openned')).err).toBe(note);
      expect((await run('analytics', 'funnel', 'order placed', 'push.openned')).err).toBe(note);
      expect((await run('events', 'tail', '--type', 'order placed')).err).toBe('');
    },
  );
});
