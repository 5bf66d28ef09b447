import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHandler } from '@beckon/http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RealCli, realCli } from '../../test/support/real.ts';

const GENERATE = ['types', 'generate'];
const TEST = ['--env', 'test'];

describe('types of tracked events', () => {
  let cli: RealCli;
  beforeAll(async () => {
    cli = await realCli();
    const track = (eventType: string, properties: object) =>
      cli.beckon.events.track(cli.scope, { module: 'shop', eventType, userId: 'ann', properties: { ...properties } });
    await track('order.paid', { amount: 3 });
    await cli.beckon.events.identify(cli.scope, { userId: 'ann', traits: { plan: 'pro' } });
    // A program may track an event with a name of the catalog.
    await track('user.signed_up', { plan: 'pro' });
    await track('cart.filled', { item: 'Kettle' });
    const workflow = (name: string, eventType: string) => ({
      name,
      description: null,
      trigger: { eventType },
      steps: [{ type: 'send_email' as const, config: { class: 'transactional' as const, subject: 's', text: 't' } }],
      isActive: true,
    });
    for (const eventType of ['visit.booked', 'email.opened', 'audience.entered'])
      await cli.beckon.workflows.create(cli.scope, workflow(eventType, eventType));
    await cli.beckon.email.send(cli.scope, { to: ['a@example.com'], subject: 's', text: 't' });
    await cli.beckon.worker.drain();
  });
  afterAll(() => cli.close());

  it('`types generate` includes tracked events and workflow triggers, not events of Beckon', async () => {
    const { code, out } = await cli.run([...GENERATE, ...TEST, '--name', 'MyEvents']);
    expect([code, out.split('\n').slice(1)]).toEqual([
      0,
      [
        'export interface MyEvents {',
        '  readonly "cart.filled": { readonly "item": string };',
        '  readonly "order.paid": { readonly "amount": number };',
        '  readonly "user.signed_up": { readonly "plan": string };',
        '  readonly "visit.booked": Readonly<Record<string, unknown>>;',
        '}',
        '',
      ],
    ]);
  });

  it('`types generate` reads only the events of --sample', async () => {
    const { out } = await cli.run([...GENERATE, ...TEST, '--sample', '1']);
    expect(out).not.toContain('order.paid');
  });

  it('`types generate --out` writes only changes, and a running server gives the same types', async () => {
    const first = await cli.run([...GENERATE, ...TEST, '--out', 'events.ts', '--json']);
    expect(JSON.parse(first.out).data).toEqual({ file: 'events.ts', changed: true });
    const { out } = await cli.run([...GENERATE, ...TEST]);
    expect(readFileSync(join(cli.cwd, 'events.ts'), 'utf8')).toBe(out);
    const grants = [{ orgId: cli.scope.orgId, projectId: cli.scope.projectId }];
    const { secret } = await cli.beckon.tenancy.createKey({ kind: 'secret', environment: 'test', grants });
    const handler = createHandler(cli.beckon, { clock: cli.clock });
    const fetch: typeof globalThis.fetch = async (url, init) => handler.fetch(new Request(url, init));
    const remote = [...GENERATE, '--url', 'http://engage.example', '--out', 'events.ts'];
    const again = await cli.run(remote, { fetch, env: { BECKON_API_KEY: secret } });
    expect([again.code, again.out + again.err]).toEqual([0, expect.stringContaining('is up to date')]);
  });

  it('`types generate --name` takes a TypeScript identifier', async () => {
    expect((await cli.run([...GENERATE, ...TEST, '--name', 'a b'])).code).toBe(2);
  });
});
