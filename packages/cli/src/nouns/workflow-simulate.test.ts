import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type EmptyCli, emptyCli } from '../../test/support/empty.ts';

const workflow = {
  name: 'Order placed',
  description: null,
  isActive: true,
  trigger: { eventType: 'order.placed', filters: { country: 'nz' } },
  steps: [
    { type: 'send_email', config: { subject: 'Thanks, {{trait.name}}', text: 't' } },
    {
      type: 'wait',
      config: { event: { eventType: 'order.paid', timeoutMinutes: 60, onTimeout: 'exit' }, saveAs: 'paid' },
    },
    { type: 'update_profile', config: { set: { paid: true } } },
  ],
};
const bundle = { version: 1, exportedAt: '2026-01-01T00:00:00.000Z', workflows: [workflow] };
const user = { userId: 'ada', traits: { name: 'Ada', email: 'ada@example.com' } };
const event = { properties: { country: 'nz' } };
const paid = { events: [{ eventType: 'order.paid', afterMinutes: 30 }] };

const folder = (tests: Readonly<Record<string, unknown>>): EmptyCli => {
  const one = emptyCli();
  mkdirSync(join(one.io.cwd, 'flows'));
  one.put('flows/order.json', JSON.stringify(bundle));
  for (const [name, test] of Object.entries(tests)) one.put(`flows/${name}`, JSON.stringify(test));
  return one;
};
const happy = {
  event,
  user,
  answers: paid,
  expect: {
    verdict: 'started',
    run: { status: 'completed', exitReason: null, traits: { paid: true } },
    steps: [
      { outcome: 'ok', send: { messages: [{ address: 'ada@example.com', content: { subject: 'Thanks, Ada' } }] } },
      { outcome: 'ok', finishedAt: '2026-01-01T00:30:00.000Z' },
      { changes: { paid: true } },
    ],
  },
};

describe('workflows test', () => {
  it('`workflows test` exits 0 if all tests pass, without a database', async () => {
    const { run, io } = folder({ 'order.test.json': happy });
    expect(await run('workflows', 'test')).toBe(0);
    expect(io.out()).toContain('ok   flows/order.test.json: case 1');
    expect(io.out()).toContain('1 passed, 0 failed');
    io.remove();
  });

  it('`workflows test` prints the warnings of a workflow once and still passes', async () => {
    const { run, io, put } = folder({ 'order.test.json': { ...happy, expect: { verdict: 'started' } } });
    const typo = { type: 'send_email', config: { subject: 'Hi {{traits.name}}', text: 't' } };
    put('flows/order.json', JSON.stringify({ ...bundle, workflows: [{ ...workflow, steps: [typo] }] }));
    put(
      'flows/other.test.json',
      JSON.stringify({ bundle: 'order.json', cases: [happy, happy].map(() => ({ event, user, expect: {} })) }),
    );
    expect(await run('workflows', 'test')).toBe(0);
    const lines = io
      .out()
      .split('\n')
      .filter((line) => line.startsWith('! '));
    expect(lines).toEqual([
      expect.stringMatching(
        /^! flows\/order\.test\.json: Order placed steps\.0\.config\.subject: .*\{\{trait\.name\}\}\?$/,
      ),
      expect.stringMatching(/^! flows\/other\.test\.json: Order placed steps\.0\.config\.subject: /),
    ]);
    put('event.json', JSON.stringify(event));
    put('user.json', JSON.stringify(user));
    const files = ['--bundle', 'flows/order.json', '--event', 'event.json', '--user', 'user.json'];
    expect(await run('workflows', 'simulate', 'Order placed', ...files)).toBe(0);
    expect(io.out()).toContain('! Order placed steps.0.config.subject: ');
    io.remove();
  });

  it('`workflows test` names a file that is not JSON', async () => {
    const { run, io, put } = folder({ 'order.test.json': happy });
    put('flows/other.test.json', '{');
    expect(await run('workflows', 'test')).toBe(5);
    expect(io.err()).toContain('flows/other.test.json is not valid JSON: line 1, column 2: ');
    io.remove();
  });

  it('`workflows test` rejects an invalid bundle even if the tested workflow is valid', async () => {
    const { run, io, put } = folder({ 'order.test.json': happy });
    const refused = { ...workflow, name: 'Refused', steps: [{ type: 'wait', config: { minutes: -1 } }] };
    for (const [wrong, says] of [
      [{ ...bundle, version: 2 }, 'version: must be 1'],
      [{ ...bundle, workflows: [workflow, refused] }, 'workflows.1.steps.0.config.minutes: '],
    ] as const) {
      put('flows/order.json', JSON.stringify(wrong));
      put('flows/order.test.json', JSON.stringify({ ...happy, workflow: workflow.name }));
      expect(await run('workflows', 'test')).toBe(5);
      expect(io.err()).toContain(`flows/order.json: ${says}`);
      expect(await run('workflows', 'simulate', workflow.name, '--bundle', 'flows/order.json')).toBe(5);
    }
    io.remove();
  });

  it('`workflows test` exits 1 for a failed test and shows the differences', async () => {
    const cases = [
      { name: 'pays', answers: paid, expect: { run: { exitReason: 'branch_exit' } } },
      { name: 'does not pay', expect: { run: { exitReason: 'wait_timed_out' } } },
    ];
    const { run, io } = folder({ 'order.test.json': { event, user, cases } });
    expect(await run('workflows', 'test', 'flows')).toBe(1);
    expect(io.out()).toContain(
      'FAIL flows/order.test.json: pays\n     run.exitReason\n     - "branch_exit"\n     + null\n',
    );
    expect(io.out()).toContain('ok   flows/order.test.json: does not pay');
    io.remove();
  });

  it('`workflows test --json` prints one envelope', async () => {
    const { run, io, envelope } = folder({ 'order.test.json': happy });
    expect(await run('workflows', 'test', 'flows/order.test.json', '--json')).toBe(0);
    expect(envelope()).toMatchObject({ data: { passed: 1, failed: 0, tests: [{ differences: [] }] } });
    io.remove();
  });

  it('`workflows test` exits 5 for an invalid test and names its file', async () => {
    const { run, io } = folder({ 'order.test.json': { ...happy, user: { userId: 1 } } });
    expect(await run('workflows', 'test')).toBe(5);
    expect(io.err()).toContain('flows/order.test.json: user.userId');
    io.remove();
  });

  it('`workflows test` exits 1 without tests and for a missing folder', async () => {
    const { run, io } = folder({});
    expect(await run('workflows', 'test')).toBe(1);
    expect(await run('workflows', 'test', 'nowhere')).toBe(1);
    io.remove();
  });
});

describe('workflows simulate', () => {
  it('`workflows simulate` shows each step of a workflow in a file and its messages', async () => {
    const { run, io, put } = folder({});
    put('event.json', JSON.stringify(event));
    put('user.json', JSON.stringify(user));
    put('answers.json', JSON.stringify(paid));
    const files = ['--event', 'event.json', '--user', 'user.json', '--answers', 'answers.json'];
    const argv = ['workflows', 'simulate', 'Order placed', '--bundle', 'flows/order.json', ...files];
    expect(await run(...argv, '--now', '2026-03-01T10:00:00Z')).toBe(0);
    expect(io.out()).toBe(
      [
        'workflow: Order placed',
        '  2026-03-01T10:00:00.000Z  0  send_email: ok',
        '        email to ada@example.com: queued  "Thanks, Ada"',
        '  2026-03-01T10:30:00.000Z  1  wait: ok after 30 min',
        '  2026-03-01T10:30:00.000Z  2  update_profile: ok',
        '        trait paid = true',
        'completed (ok)',
        '',
      ].join('\n'),
    );
    io.remove();
  });

  it('`workflows simulate` explains why a workflow does not start', async () => {
    const { run, io, put } = folder({});
    put('event.json', '{"properties":{"country":"au"}}');
    put('user.json', '{"userId":"ada"}');
    const files = ['--event', 'event.json', '--user', 'user.json', '--bundle', 'flows/order.json'];
    expect(await run('workflows', 'simulate', 'Order placed', ...files)).toBe(0);
    expect(io.out()).toContain(
      'Not started: the event does not match the filters.\n  country: expected "nz", got "au"',
    );
    io.remove();
  });

  it('`workflows simulate` exits 5 for invalid input and 2 for an invalid time', async () => {
    const { run, io, put } = folder({});
    put('user.json', '{"userid":"ada"}');
    const argv = ['workflows', 'simulate', 'Order placed', '--bundle', 'flows/order.json'];
    expect(await run(...argv, '--user', 'user.json')).toBe(5);
    expect(io.err()).toContain('user.userid');
    expect(await run(...argv, '--now', 'soon')).toBe(2);
    io.remove();
  });
});

describe('workflows schema', () => {
  it('`workflows schema` prints the schema of a bundle without a database', async () => {
    const { run, io, opened } = emptyCli();
    expect(await run('workflows', 'schema')).toBe(0);
    expect(JSON.parse(io.out())).toMatchObject({
      title: 'Workflow bundle',
      $id: expect.stringContaining('bundle.schema'),
    });
    expect(opened).toEqual([]);
    io.remove();
  });

  it('`workflows schema workflow` prints the schema of a file with one workflow', async () => {
    const { run, io, envelope } = emptyCli();
    expect(await run('workflows', 'schema', 'workflow', '--json')).toBe(0);
    expect(envelope()).toMatchObject({
      success: true,
      data: { title: 'Workflow', required: ['name', 'trigger', 'steps'] },
    });
    io.remove();
  });

  it('`workflows schema` exits 2 for another kind of file', async () => {
    const { run, io } = emptyCli();
    expect(await run('workflows', 'schema', 'template')).toBe(2);
    io.remove();
  });

  it('`workflows simulate` accepts a $schema in the file of a workflow and of a bundle', async () => {
    const { run, io, put } = emptyCli();
    const workflow = { name: 'A', trigger: { eventType: 'a' }, steps: [] };
    put('event.json', '{}');
    put('user.json', '{"userId":"ada"}');
    put('a.json', JSON.stringify({ $schema: './workflow.schema.json', ...workflow }));
    const whole = { ...workflow, description: null, isActive: true };
    const bundle = { $schema: './bundle.schema.json', version: 1, exportedAt: '', workflows: [whole] };
    put('b.json', JSON.stringify(bundle));
    const files = ['--event', 'event.json', '--user', 'user.json', '--bundle'];
    expect(await run('workflows', 'simulate', 'A', ...files, 'a.json')).toBe(0);
    expect(await run('workflows', 'simulate', 'A', ...files, 'b.json')).toBe(0);
    expect(await run('bundle', 'validate', 'b.json')).toBe(0);
    io.remove();
  });
});
