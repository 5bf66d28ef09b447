import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHandler } from '@beckon/http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RealCli, realCli } from '../../test/support/real.ts';

const URL_OF_IT = 'https://beckon.example.com';

describe('a command that asks a running service', () => {
  let cli: RealCli;
  let key: string;
  let handler: ReturnType<typeof createHandler>;
  beforeAll(async () => {
    cli = await realCli();
    const { orgId, projectId } = cli.scope;
    const grants = [{ orgId, projectId }];
    key = (await cli.beckon.tenancy.createKey({ kind: 'secret', environment: 'test', grants })).secret;
    handler = createHandler(cli.beckon);
  });
  afterAll(() => cli.close());

  /** A machine without a database and without a master key. */
  const runRemote = (...argv: string[]) =>
    cli.run([...argv, '--url', URL_OF_IT], {
      env: { BECKON_API_KEY: key },
      fetch: (url, init) => handler.fetch(new Request(url, init)),
    });
  const dataOf = ({ out }: { readonly out: string }) => JSON.parse(out).data;

  it('`send test --wait` with --url gives the same result as with a database', async () => {
    const send = ['send', 'test', 'email', '--to', 'ada@example.com', '--body', 'Hi'];
    expect(dataOf(await runRemote(...send, '--dry-run', '--json'))).toMatchObject({ dryRun: true, tokenCount: 1 });
    const sent = await runRemote(...send, '--json');
    expect([sent.code, dataOf(sent)]).toMatchObject([0, { channel: 'email', status: 'queued' }]);
    const { id } = dataOf(sent);
    expect(dataOf(await runRemote('sends', 'list', '--json'))).toMatchObject([{ id }]);
    expect((await runRemote('sends', 'list')).out).toContain(id);
    await cli.beckon.worker.drain();
    const got = await runRemote('sends', 'show', id, '--messages', '--json');
    expect(dataOf(got)).toMatchObject({ id, status: 'sent', messages: [{ address: 'ada@example.com' }] });
    expect((await runRemote('sends', 'explain', dataOf(got).messages[0].id)).out).toContain('\n\nsend_open: pass\n');
    expect((await runRemote('sends', 'cancel', id)).code).toBe(6);
    expect((await runRemote('sends', 'show', 'nothing')).code).toBe(1);
    expect((await runRemote('send', 'test', 'sms', '--to', 'nobody')).code).toBe(5);
  });

  it('an import with --url waits for the rate limit and continues', async () => {
    const { id } = await cli.beckon.audiences.create(cli.scope, { name: 'List' });
    writeFileSync(join(cli.cwd, 'users.csv'), 'userId\nann\nbob\n');
    let isBusy = true;
    const fetch: typeof globalThis.fetch = async (url, init) => {
      if (init?.method !== 'POST' || !isBusy) return handler.fetch(new Request(url, init));
      isBusy = false;
      const error = { code: 'RATE_LIMITED', message: 'Too many calls.' };
      return Response.json({ success: false, error }, { status: 429, headers: { 'retry-after': '0' } });
    };
    const result = await cli.run(['audiences', 'import', 'List', 'users.csv', '--url', URL_OF_IT], {
      env: { BECKON_API_KEY: key },
      fetch,
      during: async (io) => {
        for (let look = 0; look < 200 && !io.out().includes('put on'); look += 1) {
          io.pass(1_000);
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      },
    });
    expect([result.code, result.out]).toEqual([0, 'Added 2 users to List; 0 were already members.\n']);
    await cli.beckon.audiences.delete(cli.scope, id);
  });

  it('the AI provider is set, shown without its key, and removed with --url', async () => {
    const file = join(cli.cwd, 'model-key');
    writeFileSync(file, 'sk-canary-of-the-key');
    const added = await runRemote(
      'providers',
      'add',
      'ai',
      '--wire',
      'anthropic',
      '--key-file',
      file,
      '--model-decide',
      'small',
    );
    expect([added.code, added.out.includes('provider: configured by the organization')]).toEqual([0, true]);
    expect(await cli.beckon.ai.get(cli.scope.orgId)).toMatchObject({ configured: true, wire: 'anthropic' });
    const shown = await runRemote('ai', 'show');
    expect([shown.code, shown.out]).toEqual([0, expect.stringContaining('decide: small')]);
    expect(added.out + shown.out).not.toContain('canary');
    expect((await runRemote('ai', 'delete')).code).toBe(0);
    expect(await cli.beckon.ai.get(cli.scope.orgId)).toMatchObject({ configured: false });
  });

  it('failing webhooks and the attempts of a delivery are shown with --url', async () => {
    const { id } = await cli.beckon.webhooks.create(cli.scope, {
      url: 'https://shop.example/',
      events: ['sms.failed'],
    });
    const { id: delivery } = await cli.beckon.webhooks.test(cli.scope, id);
    const at = cli.clock.now().toISOString();
    const tried = { at, trigger: 'schedule', status: null, durationMs: 7, response: null, error: 'timeout' };
    /** The response of the server if it had posted. */
    const fetch: typeof globalThis.fetch = async (url, init) => {
      const answer = await (await handler.fetch(new Request(url, init))).text();
      return new Response(
        answer
          .replace('"failingSince":null', `"failingSince":"${at}"`)
          .replace('"attempts":[]', `"attempts":[${JSON.stringify(tried)}]`),
      );
    };
    const result = async (...argv: string[]) =>
      (await cli.run(['webhooks', ...argv, '--url', URL_OF_IT], { env: { BECKON_API_KEY: key }, fetch })).out;
    expect(await result('list')).toContain(`${id}\thttps://shop.example/\ton\t${at}\tsms.failed`);
    expect(await result('delivery', delivery)).toContain(`attempt  ${at}  schedule  no response  7 ms  timeout`);
    await cli.beckon.webhooks.delete(cli.scope, id);
    await cli.beckon.worker.drain();
  });

  it('`events tail -f` with --url prints new events even if the local clock is ahead', async () => {
    const accept = (userId: string) =>
      cli.beckon.events.track(cli.scope, { module: 'app', eventType: 'opened', userId });
    const { id } = await accept('ann');
    expect(dataOf(await runRemote('events', 'list', '--json'))).toMatchObject([{ id, userId: 'ann' }]);
    expect((await runRemote('events', 'show', id)).out).toContain(`id: ${id}\nevent: opened\n`);
    await cli.beckon.events.identify(cli.scope, { userId: 'ann', traits: {} });
    expect(dataOf(await runRemote('events', 'list', '--user', 'ann', '--json'))).toHaveLength(2);
    const service = cli.clock.now();
    const ahead = new Date(service.getTime() + 60_000);
    cli.clock.set(ahead);
    const settled = () => new Promise((resolve) => setTimeout(resolve, 20));
    const followed = await cli.run(['events', 'tail', '-f', '-o', 'ndjson', '--since', '1h', '--url', URL_OF_IT], {
      env: { BECKON_API_KEY: key },
      fetch: async (url, init) => {
        cli.clock.set(service);
        const answer = await handler.fetch(new Request(url, init));
        cli.clock.set(ahead);
        return answer;
      },
      during: async (io) => {
        while (!io.out().includes('"ann"')) await settled();
        cli.clock.set(service);
        await accept('bob');
        cli.clock.set(ahead);
        for (let look = 0; look < 100 && !io.out().includes('"bob"'); look += 1) {
          io.pass(1_000);
          await settled();
        }
        io.signal('SIGINT');
      },
    });
    cli.clock.set(service);
    expect(followed.out.split('\n').filter((line) => line.includes('"bob"'))).toHaveLength(1);
  });

  it('commands with --url read and change all resources of the API', async () => {
    const { beckon, scope } = cli;
    await beckon.events.identify(scope, { userId: 'eve', traits: { email: 'eve@example.com' } });
    await beckon.templates.create(scope, 'email', { name: 'welcome', subject: 'Hi', text: 'There' });
    const out = async (...argv: string[]): Promise<string> => {
      const result = await runRemote(...argv);
      expect([argv.join(' '), result.code, result.err]).toEqual([argv.join(' '), 0, '']);
      return result.out;
    };
    expect(await out('profiles', 'show', 'eve')).toContain('user: eve\n');
    expect(await out('profiles', 'subscriptions', 'eve', '--off', 'email/news')).toContain('  news: unsubscribed\n');
    expect(await out('templates', 'preview', 'welcome', '--user', 'eve')).toContain('result: queued\n');
    expect(await out('templates', 'pull', 'folder')).toContain('Pulled 1 template into folder');
    expect(await out('settings', 'set', 'push', 'orgDefaultTimezone', 'Europe/Paris')).toContain('Europe/Paris');
    expect(await out('settings', 'get', 'push', 'orgDefaultTimezone')).toBe('Europe/Paris\n');
    expect(await out('suppressions', 'add', 'x@example.com')).toBe(
      'Suppressed 1 addresses; 0 were already suppressed.\n',
    );
    expect(await out('suppressions', 'list')).toContain('x@example.com\tmanual\t');
    writeFileSync(join(cli.cwd, 'token'), 'hidden');
    expect(await out('secrets', 'set', 'TOKEN', '--file', 'token')).toBe('Set secret TOKEN.\n');
    expect(await out('secrets', 'list')).toContain('TOKEN\t');
    expect(await out('callbacks', 'secrets', 'list')).toContain('sendgrid\tno\t');
    expect(await out('domains', 'list', '--limit', '5')).toBe('DOMAIN\tSTATUS\tDKIM\tVERIFIED\tCHECKED\n');
    expect(await out('geofences', 'list')).toContain('RADIUS');
    expect(await out('live-activities', 'list')).toContain('LAST UPDATE');
    expect((await runRemote('ab-tests', 'list')).code).toBe(0);
  });

  it.each([
    ['orgs', 'list'],
    ['keys', 'list'],
    ['outbox', 'list'],
    ['callbacks', 'urls'],
    ['secrets', 'rotate-signing'],
    ['doctor'],
  ])('`%s %s` needs the database, and exits 2 with --url', async (...argv) => {
    expect((await runRemote(...argv)).code).toBe(2);
  });
});
