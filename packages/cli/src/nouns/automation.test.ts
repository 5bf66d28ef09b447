import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FakeIo } from '../../test/support/fake-io.ts';
import { type RealCli, realCli } from '../../test/support/real.ts';

const TEST = ['--env', 'test'];
const IDS = /[0-9a-f]{8}-[0-9a-f]{4}-7/;
const lineOf = (out: string, text: string): string => out.split('\n').find((line) => line.includes(text)) ?? '';
/** Width without colour sequences. */
const widest = (out: string): number =>
  Math.max(
    ...stripVTControlCharacters(out)
      .split('\n')
      .map((line) => line.length),
  );
const dataOf = (out: string) => (JSON.parse(out) as { data: { id: string }[] }).data;

describe('commands about automation', () => {
  let cli: RealCli;
  let welcome: string;
  let eventId: string;

  beforeAll(async () => {
    cli = await realCli();
    const trigger = { eventType: 'user.signed_up', filters: { plan: 'pro' } };
    const wait = { type: 'wait', config: { minutes: 60 } } as const;
    const to = { subject: 'Hello', text: 't', to: '{{trait.email}}', onError: 'stop' } as const;
    const mail = { type: 'send_email', config: to } as const;
    const make = cli.beckon.workflows.create;
    welcome = (await make(cli.scope, { name: 'Welcome series', trigger, steps: [wait], isActive: true })).id;
    await make(cli.scope, {
      name: 'Mail',
      trigger: { eventType: 'user.signed_up' },
      steps: [mail],
      isActive: true,
    });
    cli.clock.advance(300_000);
    const happens = async (userId: string, plan: string) =>
      (
        await cli.beckon.events.track(cli.scope, {
          module: 'app',
          eventType: 'user.signed_up',
          userId,
          properties: { plan },
        })
      ).id;
    await happens('ada', 'pro');
    cli.clock.advance(120_000);
    eventId = await happens('bob', 'free');
    await cli.beckon.events.identify(cli.scope, { userId: 'eve', traits: { plan: 'free', name: '\u001b[31mEve' } });
    await cli.beckon.worker.drain();
  });
  afterAll(() => cli.close());

  /** A short id in the first or the last column. */
  const shownId = (line: string): string => /\b[0-9a-f]{8}\b/.exec(line)?.[0] ?? '';

  it('lists without results name the database', async () => {
    for (const argv of [
      ['workflows', 'list', '--inactive'],
      ['runs', 'list', '--env', 'prod'],
      ['events', 'list', '--env', 'prod'],
      ['profiles', 'list', '--env', 'prod'],
    ])
      expect((await cli.run(argv)).err).toMatch(/ \(sqlite \S*beckon\.db\)\.\n$/);
  });

  describe('workflows', () => {
    it('`workflows list` fits 80 columns on a terminal and is whole in a pipe', async () => {
      const person = await cli.run(['workflows', 'list'], { isTTY: true });
      expect(person.code).toBe(0);
      expect(widest(person.out)).toBeLessThanOrEqual(80);
      expect(lineOf(person.out, 'Welcome')).toMatch(/^Welcome series +yes +1 +user.signed_up +7 min ago +[0-9a-f]{8}$/);
      const program = await cli.run(['workflows', 'list']);
      expect(lineOf(program.out, 'Welcome').split('\t').at(-1)).toBe(welcome);
      expect(dataOf((await cli.run(['workflows', 'list', '--json'])).out)).toHaveLength(2);
      expect((await cli.run(['workflows', 'list', '--inactive'])).err).toContain('No workflows match');
    });

    it('`workflows show` takes a name, an id or a short id', async () => {
      for (const text of ['Welcome series', welcome, welcome.slice(-8)]) {
        const { code, out } = await cli.run(['workflows', 'show', text]);
        expect([code, out]).toEqual([0, expect.stringContaining(`id: ${welcome}\nname: Welcome series\n`)]);
        expect(out).toContain('filter: plan = "pro"\n');
        expect(out).toContain('  0  wait  {"minutes":60}\n');
      }
    });

    it('`workflows enable` and `disable` create a version each', async () => {
      const off = await cli.run(['workflows', 'disable', 'Mail']);
      expect([off.code, off.out]).toEqual([0, 'Disabled Mail (version 2).\n']);
      const again = await cli.run(['workflows', 'disable', 'Mail']);
      expect(again.out).toBe('Disabled Mail (version 2).\n');
      const on = await cli.run(['workflows', 'enable', 'Mail']);
      expect(on.out).toMatch(
        /^Enabled Mail \(version 3\)\.\n! steps\.0\.type: .*provider of email.*\n! steps\.0\.config\.to: /,
      );
    });

    it('an unknown workflow exits 1 and is named', async () => {
      const { code, err } = await cli.run(['workflows', 'show', 'Nothing']);
      expect([code, err]).toEqual([1, expect.stringContaining('No workflow has the name or id "Nothing".')]);
      expect((await cli.run(['workflows', 'enable', '00000000'])).code).toBe(1);
    });
  });

  describe('runs', () => {
    it('`runs list` fits 80 columns on a terminal and filters by status, workflow and user', async () => {
      const { code, out } = await cli.run(['runs', 'list', ...TEST], { isTTY: true });
      expect([code, widest(out) <= 80]).toEqual([0, true]);
      expect(out).not.toMatch(IDS);
      const listed = async (...flags: string[]) =>
        dataOf((await cli.run(['runs', 'list', ...TEST, '--json', ...flags])).out).length;
      expect(await listed()).toBe(3);
      expect(await listed('--status', 'waiting')).toBe(1);
      expect(await listed('--workflow', 'Mail')).toBe(2);
      expect(await listed('--workflow', 'Mail', '--user', 'ada')).toBe(1);
      expect((await cli.run(['runs', 'list', ...TEST, '--workflow', 'None'])).code).toBe(1);
      expect((await cli.run(['runs', 'list'])).code).toBe(2);
    });

    it('`runs show` takes the short id of the list and prints the steps', async () => {
      const { out } = await cli.run(['runs', 'list', ...TEST, '--workflow', 'Mail', '--user', 'bob'], { isTTY: true });
      const shown = await cli.run(['runs', 'show', shownId(lineOf(out, 'bob')), ...TEST], { isTTY: true });
      expect(shown.code).toBe(0);
      expect(shown.out).toContain('workflow: Mail (version 1)\nuser: bob\n');
      expect(shown.out).toContain('exit reason: on_error_stop\n');
      expect(lineOf(shown.out, 'send_email')).toMatch(/^0 +send_email +1 +error +invalid_address/);
    });

    it('`runs cancel` cancels a run once and exits 6 afterwards', async () => {
      const [waiting] = dataOf((await cli.run(['runs', 'list', ...TEST, '--json', '--status', 'waiting'])).out);
      const id = waiting?.id ?? '';
      for (let twice = 0; twice < 2; twice += 1)
        expect(await cli.run(['runs', 'cancel', id, ...TEST])).toMatchObject({ code: 0, out: `Cancelled ${id}.\n` });
      expect((await cli.run(['runs', 'retry', id, ...TEST])).code).toBe(6);
    });

    it('`runs retry` retries a failed run and exits 6 for others', async () => {
      const [failed] = dataOf((await cli.run(['runs', 'list', ...TEST, '--json', '--user', 'bob'])).out);
      const id = failed?.id ?? '';
      expect((await cli.run(['runs', 'cancel', id, ...TEST])).code).toBe(6);
      const { code, out } = await cli.run(['runs', 'retry', id, ...TEST]);
      expect([code, out]).toEqual([0, `Retrying run ${id} at step 0, attempt 2.\n`]);
      expect((await cli.run(['runs', 'retry', id, ...TEST])).code).toBe(6);
      expect((await cli.run(['runs', 'show', 'nothing', ...TEST])).code).toBe(1);
    });
  });

  describe('events', () => {
    it('`events list` fits 80 columns on a terminal and filters by user', async () => {
      const { code, out } = await cli.run(['events', 'list', ...TEST], { isTTY: true });
      expect([code, widest(out) <= 80]).toEqual([0, true]);
      expect(lineOf(out, 'ada')).toMatch(/^[0-9a-f]{8} +2 min ago +user.signed_up +app +ada +customer$/);
      expect(dataOf((await cli.run(['events', 'list', ...TEST, '--json', '--user', 'bob'])).out)).toMatchObject([
        { id: eventId },
      ]);
      expect((await cli.run(['events', 'list', '--env', 'prod'])).err).toContain('No events match in prod');
    });

    it('`events show` explains why each workflow did or did not start', async () => {
      const { out } = await cli.run(['events', 'list', ...TEST, '--user', 'bob'], { isTTY: true });
      const shown = await cli.run(['events', 'show', shownId(lineOf(out, 'bob')), ...TEST]);
      expect(shown.code).toBe(0);
      expect(shown.out).toContain(`id: ${eventId}\nevent: user.signed_up\n`);
      expect(shown.out).toContain('Welcome series (version 1): not started: plan must be "pro" but is "free"\n');
      expect(shown.out).toMatch(/Mail \(version 1\): started run [0-9a-f-]{36}\n/);
      const { data } = JSON.parse((await cli.run(['events', 'show', eventId, ...TEST, '--json'])).out);
      expect(data.workflows).toMatchObject([{ verdict: 'started' }, { verdict: 'filter' }]);
      expect((await cli.run(['events', 'show', 'nothing', ...TEST])).code).toBe(1);
    });

    it('`events tail` prints and filters recent events, oldest first', async () => {
      const tail = async (...flags: string[]) =>
        (await cli.run(['events', 'tail', ...TEST, '-o', 'ndjson', ...flags])).out
          .trimEnd()
          .split('\n')
          .map((line) => (line === '' ? '' : (JSON.parse(line) as { userId: string }).userId));
      expect(await tail()).toEqual(['ada', 'bob', 'eve']);
      expect(await tail('--type', 'user.s*')).toEqual(['ada', 'bob']);
      expect(await tail('--since', '1m', '--limit', '1')).toEqual(['eve']);
      expect(await tail('--user', 'bob')).toEqual(['bob']);
      expect((await cli.run(['events', 'tail', ...TEST, '--since', 'ever'])).code).toBe(2);
    });

    it('`events tail -f` prints each new event once until a signal', async () => {
      const settled = () => new Promise((resolve) => setTimeout(resolve, 50));
      const come = async (io: FakeIo) => {
        while (!io.out().includes('eve')) await settled();
        for (const userId of ['new1', 'new2']) {
          cli.clock.advance(1_000);
          await cli.beckon.events.track(cli.scope, { module: 'm', eventType: 'late', userId });
          io.pass(1_000);
          while (!io.out().includes(userId)) await settled();
        }
        io.pass(1_000);
        await settled();
        io.signal('SIGINT');
      };
      const { code, out } = await cli.run(['events', 'tail', '-f', ...TEST], { during: come });
      expect(code).toBe(0);
      expect(
        out
          .trimEnd()
          .split('\n')
          .map((line) => line.split('  ')[2]),
      ).toEqual(['ada', 'bob', 'eve', 'new1', 'new2']);
    });
  });

  describe('profiles', () => {
    it('profiles are listed and shown without control sequences', async () => {
      const list = await cli.run(['profiles', 'list', ...TEST], { isTTY: true });
      expect([list.code, widest(list.out) <= 80]).toEqual([0, true]);
      expect(lineOf(list.out, 'eve')).toMatch(/^eve +2 /);
      const { code, out } = await cli.run(['profiles', 'show', 'eve', ...TEST]);
      expect([code, out.includes('\u001b')]).toEqual([0, false]);
      expect(out).toContain('user: eve\n');
      expect(out).toContain('  plan: "free"\n');
      const { id } = await cli.beckon.audiences.create(cli.scope, { name: 'Beta\u001b[31m' });
      await cli.beckon.audiences.addMembers(cli.scope, id, { userIds: ['eve'] });
      const shown = await cli.run(['profiles', 'show', 'eve', ...TEST]);
      expect(shown.out).toMatch(new RegExp(`^segment: Beta.*, ${id}$`, 'm'));
      expect(shown.out).not.toContain('\u001b');
      expect((await cli.run(['profiles', 'show', 'nobody', ...TEST])).code).toBe(1);
    });

    it('`profiles erase` requests an erasure after confirmation', async () => {
      const silent = await cli.run(['profiles', 'erase', 'bob', ...TEST]);
      expect([silent.code, silent.err]).toEqual([9, expect.stringContaining('--yes')]);
      const { code, out } = await cli.run(['profiles', 'erase', 'bob', '--yes', ...TEST]);
      const [, id = ''] = /^Requested erasure (\S+)\./.exec(out) ?? [];
      expect(code).toBe(0);
      expect((await cli.run(['profiles', 'erasure', id, ...TEST])).out).toContain('status: pending\n');
      await cli.beckon.worker.drain();
      expect((await cli.run(['profiles', 'erasure', id, ...TEST])).out).toContain('status: done\n');
      expect((await cli.run(['profiles', 'show', 'bob', ...TEST])).code).toBe(1);
      expect((await cli.run(['profiles', 'erase', 'bob', '--yes', ...TEST])).code).toBe(1);
    });

    it('profiles are printed as YAML', async () => {
      const { out } = await cli.run(['profiles', 'show', 'eve', ...TEST, '-o', 'yaml']);
      expect(out).toContain('userId: eve\n');
      expect(out).toContain('traits:\n  plan: free\n');
    });
  });

  describe('bundle diff', () => {
    const bundle = (over: object = {}) =>
      JSON.stringify({
        version: 1,
        exportedAt: '2026-01-01T00:00:00.000Z',
        workflows: [
          {
            name: 'Welcome series',
            description: null,
            isActive: true,
            trigger: { eventType: 'user.signed_up', filters: { plan: 'pro' } },
            steps: [{ type: 'wait', config: { minutes: 60 } }],
            ...over,
          },
        ],
      });
    const diff = (stdin: string, ...flags: string[]) => cli.run(['bundle', 'diff', '-', ...flags], { stdin });

    it('`bundle diff` exits 0 without changes and counts kept workflows', async () => {
      const { code, out } = await diff(bundle());
      expect([code, out]).toEqual([
        0,
        '= same    Welcome series\n0 to create, 0 to update, 1 unchanged (1 workflow only in the database: kept)\n',
      ]);
    });

    it('`bundle diff` exits 1 for changes, prints both values and writes nothing', async () => {
      const changed = bundle({ trigger: { eventType: 'user.signed_up', filters: { plan: 'free' } } });
      const { code, out } = await diff(changed);
      expect(code).toBe(1);
      expect(out).toContain('~ update  Welcome series\n            trigger.filters.plan: "pro" -> "free"\n');
      const added = await diff(bundle({ name: 'New' }));
      expect([added.code, added.out]).toEqual([1, expect.stringContaining('+ create  New  1 step  active\n')]);
      expect((await diff(bundle({ name: 'New' }), '--name-only')).out).toBe('New\n');
      expect((await cli.run(['workflows', 'show', 'New'])).code).toBe(1);
    });

    it('`bundle diff` exits above 1 for every error', async () => {
      expect((await diff('{')).code).toBe(5);
      expect((await diff('{"version":2}')).code).toBe(3);
      expect((await diff(bundle(), '--org', 'none')).code).toBe(70);
      expect((await cli.run(['bundle', 'diff', 'no-such-file.json'])).code).toBeGreaterThan(1);
    });
  });

  describe('bundle validate', () => {
    const audienceId = '01890000-0000-7000-8000-000000000000';
    const validate = (stdin: string, ...flags: string[]) => cli.run(['bundle', 'validate', '-', ...flags], { stdin });
    const bundle = (trigger: object) =>
      JSON.stringify({
        version: 1,
        exportedAt: '',
        workflows: [{ name: 'W', description: null, isActive: true, trigger, steps: [] }],
      });

    it('`bundle validate` exits 0 for a valid bundle, and 5 with --strict if there are warnings', async () => {
      expect(await validate(bundle({ eventType: 'e' }))).toMatchObject({ code: 0, out: '1 workflow, valid\n' });
      const warned = await validate(bundle({ eventType: 'e', audienceId }));
      expect([warned.code, warned.out]).toEqual([0, expect.stringContaining('! W trigger.audienceId: ')]);
      expect((await validate(bundle({ eventType: 'e', audienceId }), '--strict')).code).toBe(5);
    });

    it('`bundle validate` exits 3 for another version and 5 for an invalid bundle', async () => {
      expect((await validate('{"version":2}')).code).toBe(3);
      const { code, err } = await validate(bundle({}));
      expect([code, err]).toEqual([5, expect.stringContaining('`workflows.0.trigger.eventType`: ')]);
    });
  });

  describe('tables on a terminal', () => {
    const ACME = ['--org', 'Acme'];
    const IN_TEST = [...TEST, ...ACME];
    it('tables of keys, sends, messages and the outbox fit 80 columns, and commands accept their short ids', async () => {
      const { orgId, projectId } = cli.scope;
      const { key } = await cli.beckon.tenancy.createKey({
        kind: 'secret',
        environment: 'test',
        grants: [{ orgId, projectId }],
        name: 'a name that is rather long for a key',
      });
      const body = { to: 'somebody.with.a.long.name@subdomain.example.com', subject: 'News '.repeat(20), text: 't' };
      await cli.beckon.email.send(cli.scope, body);
      await cli.beckon.worker.drain();
      const [send] = dataOf((await cli.run(['sends', 'list', ...IN_TEST, '--json'])).out);
      const short = send?.id.slice(-8) ?? '';
      for (const argv of [
        ['keys', 'list'],
        ['sends', 'list', ...IN_TEST],
        ['outbox', 'list', ...ACME],
      ]) {
        const { code, out } = await cli.run(argv, { isTTY: true });
        expect([code, widest(out) <= 80, IDS.test(out)], argv.join(' ')).toEqual([0, true, false]);
      }
      const shown = await cli.run(['sends', 'show', short, '--messages', ...IN_TEST], { isTTY: true });
      expect([shown.code, shown.out.includes(`id: ${send?.id}`)]).toEqual([0, true]);
      const caught = await cli.run(['outbox', 'list', ...ACME], { isTTY: true });
      const message = shownId(lineOf(caught.out, 'email'));
      expect((await cli.run(['outbox', 'show', message, ...ACME])).out).toContain(`send: ${send?.id}\n`);
      const revoked = await cli.run(['keys', 'revoke', key.id.slice(-8)]);
      expect([revoked.code, revoked.out]).toEqual([0, expect.stringContaining(`Revoked ${key.id}`)]);
    });
  });
});
