import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RealCli, realCli } from '../../test/support/real.ts';

const TEST = ['--env', 'test'];
const lineOf = (out: string, text: string): string => out.split('\n').find((line) => line.includes(text)) ?? '';

describe('a stored workflow', () => {
  let cli: RealCli;
  beforeAll(async () => {
    cli = await realCli();
    const trigger = { eventType: 'user.signed_up' };
    const mail = {
      type: 'send_email',
      config: { subject: 'Hello', text: 't', to: '{{trait.email}}', onError: 'stop' },
    } as const;
    const wait = { type: 'wait', config: { minutes: 60 } } as const;
    await cli.beckon.workflows.create(cli.scope, { name: 'Mail', trigger, steps: [mail], isActive: true });
    await cli.beckon.workflows.create(cli.scope, { name: 'Pause', trigger, steps: [wait], isActive: true });
    for (const userId of ['ada', 'bob'])
      await cli.beckon.events.track(cli.scope, { module: 'app', ...trigger, userId, properties: {} });
    await cli.beckon.worker.drain();
  });
  afterAll(() => cli.close());

  it('`workflows figures` counts runs by step', async () => {
    const { code, out } = await cli.run(['workflows', 'figures', 'Mail', ...TEST]);
    expect(code).toBe(0);
    expect(lineOf(out, 'entered')).toBe('entered: 2');
    expect(lineOf(out, 'completed')).toBe('completed: 2 (error 2)');
    expect(lineOf(out, 'ended early')).toBe('ended early: on_error_stop 2');
    expect(lineOf(out, 'send_email')).toMatch(/^0\s+1\s+send_email\s+2\s+error 2\s+0\s+2/);
    expect((await cli.run(['workflows', 'figures', 'Mail', ...TEST, '--days', '0'])).code).toBe(2);
    expect((await cli.run(['workflows', 'figures', 'Nothing', ...TEST])).code).toBe(1);
  });

  it('`workflows simulate` of a stored workflow writes nothing', async () => {
    writeFileSync(join(cli.cwd, 'event.json'), '{"userId":"ada"}');
    const argv = ['workflows', 'simulate', 'Pause', ...TEST, '--event', 'event.json'];
    const { code, out } = await cli.run(argv);
    expect([code, lineOf(out, 'wait:')]).toEqual([0, expect.stringMatching(/Z {2}0 {2}wait: ok after 60 min$/)]);
    expect(JSON.parse((await cli.run([...argv, '--json'])).out).data).toMatchObject({
      verdict: 'started',
      workflow: { version: 1 },
      steps: [{ path: '0' }],
    });
    expect((await cli.beckon.runs.list(cli.scope)).data).toHaveLength(4);
  });
});
