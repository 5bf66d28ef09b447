import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHandler } from '@beckon/http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FakeIo } from '../../test/support/fake-io.ts';
import { openForwardReceiver } from '../../test/support/forward-receiver.ts';
import { type RealCli, realCli } from '../../test/support/real.ts';
import { EVENT_NAMES } from '../names.ts';

const TEST = ['--env', 'test'];

describe('beckon webhooks', () => {
  let cli: RealCli;
  beforeAll(async () => {
    cli = await realCli();
  });
  afterAll(() => cli.close());

  const hooks = async (...argv: string[]) => {
    const { code, out, err } = await cli.run(['webhooks', ...argv, ...TEST, '--json']);
    return { code, err, data: out === '' ? null : JSON.parse(out).data };
  };

  it('webhooks are created, print their secret once, and are updated and deleted', async () => {
    writeFileSync(join(cli.cwd, 'headers.json'), '{"Authorization":"Bearer t"}');
    const url = 'https://shop.example/hooks';
    const headers = ['--headers-file', 'headers.json'];
    const { data: made } = await hooks('create', url, '--events', 'sms.failed, email.bounced', ...headers);
    expect(made).toMatchObject({
      url,
      events: ['sms.failed', 'email.bounced'],
      headers: { authorization: 'Bearer t' },
    });
    const { out } = await cli.run(['webhooks', 'rotate-secret', made.id, '--grace', '0s', ...TEST]);
    expect(out).toMatch(/^New signing secret of webhook [0-9a-f-]{36}, shown only once: whsec_\S+\n$/);
    expect(out).not.toContain(made.secret);
    expect((await hooks('update', made.id, '--active', 'off')).data).toMatchObject({ url, isActive: false });
    expect((await cli.run(['webhooks', 'list', ...TEST])).out).toContain(`${made.id}\t${url}\toff\t-\tsms.failed`);
    expect((await hooks('test', made.id)).code).toBe(5);
    expect((await hooks('delete', made.id)).code).toBe(0);
    expect((await hooks('delete', made.id)).code).toBe(1);
    expect((await hooks('create', url, '--events', 'order.placed')).code).toBe(5);
    expect((await hooks('create', 'http://10.0.0.1/', '--events', 'sms.failed')).code).toBe(5);
  });

  it('deliveries are listed, shown and replayed', async () => {
    const { webhooks, worker } = cli.beckon;
    const { id } = await webhooks.create(cli.scope, { url: 'https://shop.example/', events: ['sms.failed'] });
    const { id: delivery } = await webhooks.test(cli.scope, id);
    await webhooks.update(cli.scope, id, { isActive: false });
    await worker.drain();
    await webhooks.update(cli.scope, id, { isActive: true });
    expect((await hooks('deliveries', id, '--status', 'cancelled')).data).toMatchObject([{ id: delivery }]);
    expect((await hooks('deliveries', id, '--event', 'sms.failed')).data).toEqual([]);
    const shown = await cli.run(['webhooks', 'delivery', delivery, ...TEST]);
    expect(shown.out).toContain('status: cancelled\nreason: disabled\nbody: {"event":{"id":');
    expect((await hooks('replay', delivery)).data).toMatchObject({ status: 'pending' });
    expect((await hooks('replay', delivery)).code).toBe(6);
    expect((await hooks('recover', id, '--since', '1d')).data).toEqual({ recovered: 0, hasMore: false });
    expect((await hooks('recover', id, '--since', 'ever')).code).toBe(2);
    await webhooks.delete(cli.scope, id);
  });

  it('`webhooks recover` redelivers events within a time span only', async () => {
    const { webhooks, worker } = cli.beckon;
    const { id } = await webhooks.create(cli.scope, { url: 'https://shop.example/', events: ['sms.failed'] });
    await webhooks.test(cli.scope, id);
    await webhooks.update(cli.scope, id, { isActive: false });
    await worker.drain();
    await webhooks.update(cli.scope, id, { isActive: true });
    cli.clock.advance(1_800_000);
    const recover = async () => (await hooks('recover', id, '--since', '1d', '--until', '1h')).data;
    expect(await recover()).toEqual({ recovered: 0, hasMore: false });
    expect((await hooks('recover', id, '--since', '1h', '--until', '1d')).code).toBe(5);
    cli.clock.advance(3_600_000);
    expect(await recover()).toEqual({ recovered: 1, hasMore: false });
    await webhooks.delete(cli.scope, id);
  });

  it('`webhooks listen` forwards signed events to a local receiver and deletes its webhook', async () => {
    const receiver = await openForwardReceiver();
    const during = async (io: FakeIo): Promise<void> => {
      await expect.poll(() => io.err()).toContain('Forwarding');
      await cli.beckon.events.identify(cli.scope, { userId: 'ann', traits: { plan: 'pro' } });
      await expect
        .poll(() => {
          io.pass(1_000);
          return receiver.got.length;
        })
        .toBe(1);
      io.pass(1_000);
      await expect.poll(() => io.out()).toContain('user.identified  200');
      io.signal('SIGINT');
    };
    const argv = ['webhooks', 'listen', '--forward-to', receiver.url, '--events', 'user.identified', ...TEST];
    const { code, err } = await cli.run(argv, { during });
    await receiver.close();
    expect(code).toBe(0);
    const [got] = receiver.got;
    expect(JSON.parse(got?.body ?? '').data).toMatchObject({ userId: 'ann', traits: { plan: 'pro' } });
    expect(got?.verify(/whsec_\S+/.exec(err)?.[0] ?? '')).toBe(true);
    expect((await cli.beckon.webhooks.list(cli.scope)).data).toEqual([]);
  });

  it.each(['local', 'remote'])(
    '`webhooks listen` forwards all 34 events without --events, in %s mode',
    async (mode) => {
      const { orgId, projectId } = cli.scope;
      const grants = [{ orgId, projectId }];
      const { secret } = await cli.beckon.tenancy.createKey({ kind: 'secret', environment: 'test', grants });
      const handler = createHandler(cli.beckon);
      const receiver = await openForwardReceiver();
      const subscribed: string[] = [];
      const during = async (io: FakeIo): Promise<void> => {
        await expect.poll(() => io.err()).toContain('Forwarding');
        const [webhook] = (await cli.beckon.webhooks.list(cli.scope)).data;
        subscribed.push(...(webhook?.events ?? []));
        // The server caches webhooks for some seconds, and the command created its webhook in another process.
        cli.clock.advance(10_000);
        await cli.beckon.events.identify(cli.scope, { userId: `ann-${mode}`, traits: {} });
        await expect
          .poll(() => {
            io.pass(1_000);
            return receiver.got.length;
          })
          .toBe(1);
        io.signal('SIGINT');
      };
      const argv = ['webhooks', 'listen', '--forward-to', receiver.url];
      const { code } =
        mode === 'local'
          ? await cli.run([...argv, ...TEST], { during })
          : await cli.run([...argv, '--url', 'https://beckon.example.com'], {
              during,
              env: { BECKON_API_KEY: secret },
              fetch: (url, init) => handler.fetch(new Request(url, init)),
            });
      await receiver.close();
      expect(code).toBe(0);
      expect(subscribed.toSorted()).toEqual(EVENT_NAMES.toSorted());
      expect((await cli.beckon.webhooks.list(cli.scope)).data).toEqual([]);
    },
  );
});
