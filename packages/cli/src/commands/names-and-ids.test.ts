import { createHandler } from '@beckon/http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RealCli, realCli } from '../../test/support/real.ts';

describe('commands about one thing', () => {
  let real: RealCli;
  let remote: (...argv: string[]) => ReturnType<RealCli['run']>;
  beforeAll(async () => {
    real = await realCli();
    const { orgId, projectId } = real.scope;
    const grants = [{ orgId, projectId }];
    const { secret } = await real.beckon.tenancy.createKey({ kind: 'secret', environment: 'test', grants });
    const handler = createHandler(real.beckon);
    remote = (...argv) =>
      real.run([...argv, '--url', 'https://beckon.example.com'], {
        env: { BECKON_API_KEY: secret },
        fetch: (url, init) => handler.fetch(new Request(url, init)),
      });
  });
  afterAll(() => real.close());

  const local = (...argv: string[]) => real.run([...argv, '--env', 'test']);
  const data = ({ out }: { readonly out: string }) => JSON.parse(out).data;

  it.each(['local', 'remote'])('`send sms --audience` takes the name of a segment, in %s mode', async (mode) => {
    const run = mode === 'local' ? local : remote;
    const { id } = await real.beckon.audiences.create(real.scope, { name: `Buyers ${mode}` });
    const send = (audience: string) => run('send', 'sms', '--audience', audience, '--body', 'Hi', '--json');
    expect(data(await send(`Buyers ${mode}`))).toMatchObject({ audienceId: id });
    expect(data(await send(id))).toMatchObject({ audienceId: id });
    const none = await run('send', 'sms', '--audience', 'Nobody', '--body', 'Hi');
    expect([none.code, none.err]).toEqual([1, expect.stringContaining('No segment "Nobody" in test.')]);
  });

  it.each(['local', 'remote'])('`runs list --workflow` takes the id of a workflow, in %s mode', async (mode) => {
    const run = mode === 'local' ? local : remote;
    const { id } = await real.beckon.workflows.create(real.scope, {
      name: `Welcome ${mode}`,
      trigger: { eventType: `joined ${mode}` },
      steps: [{ type: 'wait', config: { minutes: 60 } }],
      isActive: true,
    });
    await real.beckon.events.track(real.scope, { module: 'app', eventType: `joined ${mode}`, userId: 'ada' });
    await real.beckon.worker.drain();
    for (const workflow of [id, `Welcome ${mode}`])
      expect(data(await run('runs', 'list', '--workflow', workflow, '--json'))).toMatchObject([{ workflowId: id }]);
    expect((await run('runs', 'list', '--workflow', 'None')).code).toBe(1);
  });

  it('`ab-tests` takes the name of a test, and rejects an ambiguous name with the ids', async () => {
    const variants = [
      { key: 'a', body: 'Hi', weight: 50 },
      { key: 'b', body: 'Hello', weight: 50 },
    ];
    const { id } = await real.beckon.abTests.create(real.scope, 'sms', { name: 'Short or long', variants });
    expect(data(await local('ab-tests', 'show', 'Short or long', '--json'))).toMatchObject({ id });
    expect((await local('ab-tests', 'pause', 'Short or long')).out).toBe('Paused Short or long.\n');
    // Ids of the same millisecond are not ordered.
    real.clock.advance(1);
    const { id: other } = await real.beckon.abTests.create(real.scope, 'sms', { name: 'Short or long', variants });
    const { code, err } = await local('ab-tests', 'stats', 'Short or long');
    expect([code, err]).toEqual([
      2,
      `beckon: Several tests have the name "Short or long". Pass an id:\n  ${other}\n  ${id}\n`,
    ]);
    expect((await local('ab-tests', 'show', 'Nothing')).code).toBe(1);
  });

  it('`geofences delete` takes the name of a geofence', async () => {
    const shape = { name: 'Shop', lat: 1, lng: 2, radiusMeters: 100 };
    await real.beckon.geofences.create(real.scope, shape);
    expect((await local('geofences', 'delete', 'Shop')).out).toBe('Deleted geofence Shop.\n');
    expect((await local('geofences', 'delete', 'Shop')).code).toBe(1);
  });

  it('a template name that several channels have is rejected with the ids', async () => {
    const { id: mail } = await real.beckon.templates.create(real.scope, 'email', {
      name: 'Both',
      subject: 'S',
      text: 'T',
    });
    const { id: sms } = await real.beckon.templates.create(real.scope, 'sms', { name: 'Both', body: 'T' });
    const { code, err } = await real.run(['templates', 'show', 'Both']);
    expect([code, err]).toEqual([2, expect.stringContaining(`  ${mail}  email\n  ${sms}  sms\n`)]);
    expect((await real.run(['templates', 'show', sms])).out).toContain('channel: sms\n');
  });

  it.each(['local', 'remote'])('`sends explain` explains each message of a send, in %s mode', async (mode) => {
    const run = mode === 'local' ? local : remote;
    const to = ['ann@example.com', 'bob@example.com'];
    const send = await real.beckon.email.send(real.scope, { to, subject: 'Hello', text: 'Hi' });
    if ('dryRun' in send) throw new Error('a send was asked for');
    await real.beckon.worker.drain();
    const { data: messages } = await real.beckon.sends.messages(real.scope, 'email', send.id);
    const { code, out } = await run('sends', 'explain', send.id);
    expect(code).toBe(0);
    for (const { id } of messages) expect(out).toContain(`id: ${id}\nsend: ${send.id}\n`);
    expect(out.match(/^send_open: pass$/gm)).toHaveLength(2);
    expect(data(await run('sends', 'explain', send.id, '--json'))).toMatchObject({
      id: send.id,
      messages: [{ explanation: { stoppedBy: null } }, {}],
    });
    const [first] = messages;
    expect((await run('sends', 'explain', first?.id ?? '')).out).toContain(`id: ${first?.id}\n`);
    expect((await run('sends', 'explain', send.id.slice(-8))).out).toContain(`send: ${send.id}\n`);
    const few = await run('sends', 'explain', send.id, '--limit', '1');
    expect(few.out.match(/^send_open: pass$/gm)).toHaveLength(1);
    expect(few.err).toContain('There are more messages');
    const none = await run('sends', 'explain', '01890000-0000-7000-8000-000000000000');
    expect([none.code, none.err]).toEqual([1, expect.stringContaining('No message or send has the id "01890000')]);
    expect((await run('sends', 'explain', 'nothing')).code).toBe(1);
  });

  it('`sends explain` of a send without messages tells whether they are not created yet or had no recipients', async () => {
    const { id: audienceId } = await real.beckon.audiences.create(real.scope, { name: 'Empty' });
    const later = new Date(real.clock.now().getTime() + 3_600_000).toISOString();
    const waiting = await real.beckon.sms.send(real.scope, { audienceId, body: 'Hi', scheduledFor: later });
    if ('dryRun' in waiting) throw new Error('a send was asked for');
    expect((await local('sends', 'explain', waiting.id)).out).toContain(
      `The send has no messages yet. A worker creates them at ${later}.`,
    );
    real.clock.advance(3_600_000);
    await real.beckon.worker.drain();
    const over = (await local('sends', 'explain', waiting.id)).out;
    expect(over).toContain('error: no_recipients');
    expect(over).toContain('The send has no messages: it had no recipients.');
  });

  it.each(['local', 'remote'])('`sends list` shows the text of an SMS, in %s mode', async (mode) => {
    const run = mode === 'local' ? local : remote;
    real.clock.advance(1);
    await real.beckon.sms.send(real.scope, { to: '+14155550123', body: `Your code is 123456 (${mode})` });
    const { out } = await run('sends', 'list', '--channel', 'sms');
    expect(out.split('\n')[1]).toMatch(new RegExp(`\\tYour code is 123456 \\(${mode}\\)$`));
  });
});
