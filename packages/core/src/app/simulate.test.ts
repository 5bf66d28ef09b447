import { describe, expect, it } from 'vitest';
import type { WorkflowInput } from '../automation/workflows/api.ts';
import type { SimulateInput } from '../automation/workflows/simulate/api.ts';
import { simulate } from './simulate.ts';

const NOW = '2026-03-01T10:00:00.000Z';
const MINUTE_MS = 60_000;
const ADA = { userId: 'ada', traits: { first_name: 'Ada', email: 'ada@example.com', plan: 'free' } };
const mail = {
  type: 'send_email',
  config: { subject: 'Hi {{trait.first_name}}', text: 'Order {{event.order}}' },
} as const;
const waits = {
  type: 'wait',
  config: {
    event: { eventType: 'order.paid', filters: { order: '17' }, timeoutMinutes: 60, onTimeout: 'exit' },
    saveAs: 'paid',
  },
} as const;

const workflowOf = (steps: WorkflowInput['steps'], over: Partial<WorkflowInput> = {}): WorkflowInput => ({
  name: 'Order placed',
  trigger: { eventType: 'order.placed' },
  isActive: true,
  steps,
  ...over,
});
const run = (steps: WorkflowInput['steps'], over: Partial<SimulateInput> = {}) =>
  simulate(workflowOf(steps), { event: { properties: { order: '17' } }, user: ADA, now: NOW, ...over });

describe('simulate', () => {
  it('simulate returns each step, its time and its message, without a database', async () => {
    const {
      verdict,
      run: ended,
      steps,
    } = await run([mail, { type: 'wait', config: { minutes: 90, name: 'Pause' } }, { ...mail, delayMinutes: 30 }]);
    expect(verdict).toBe('started');
    const later = (minutes: number) => new Date(Date.parse(NOW) + minutes * MINUTE_MS);
    expect(steps).toMatchObject([
      { path: '0', type: 'send_email', outcome: 'ok', startedAt: later(0), finishedAt: later(0) },
      { path: '1', name: 'Pause', outcome: 'ok', startedAt: later(0), finishedAt: later(90), send: null },
      { path: '2', outcome: 'ok', startedAt: later(120) },
    ]);
    expect(steps[0]?.send).toMatchObject({
      channel: 'email',
      class: 'marketing',
      messages: [
        {
          userId: 'ada',
          address: 'ada@example.com',
          status: 'queued',
          content: { subject: 'Hi Ada', text: 'Order 17' },
        },
      ],
    });
    expect(ended).toMatchObject({ status: 'completed', outcome: 'ok', startedAt: later(0), completedAt: later(120) });
  });

  it("simulate names the category of each channel's message", async () => {
    const about = { category: 'news' };
    const { steps } = await run(
      [
        { ...mail, config: { ...mail.config, ...about } },
        { type: 'send_push', config: { title: 't', ...about } },
        { type: 'send_sms', config: { body: 'b', ...about } },
      ],
      { user: { ...ADA, phone: '+14155550199', devices: [{ platform: 'ios' }] } },
    );
    expect(steps.map(({ send }) => [send?.channel, send?.category])).toEqual([
      ['email', 'news'],
      ['push', 'news'],
      ['sms', 'news'],
    ]);
  });

  it('simulate is deterministic', async () => {
    const steps = [mail, waits, { type: 'send_push', config: { title: 't' } }] as const;
    const user = { ...ADA, devices: [{ platform: 'ios' }] } as const;
    const answers = { events: [{ eventType: 'order.paid', properties: { order: '17' }, afterMinutes: 5 }] };
    expect(await run(steps, { user, answers })).toEqual(await run(steps, { user, answers }));
  });

  it.each([
    [{ eventType: 'order.lost' }, 'event', {}],
    [{ properties: { country: 'au' } }, 'filter', { filters: [{ path: 'country', expected: 'nz', actual: 'au' }] }],
  ] as const)('simulate explains why %j would start nothing', async (event, verdict, more) => {
    const workflow = workflowOf([mail], { trigger: { eventType: 'order.placed', filters: { country: 'nz' } } });
    expect(await simulate(workflow, { event, user: ADA })).toEqual({
      workflow: { name: 'Order placed', version: null },
      verdict,
      ...more,
      run: null,
      steps: [],
      warnings: [],
    });
  });

  it("simulate starts for members of the trigger's segment only", async () => {
    const audienceId = '018f4e1e-7c3a-7b44-9d53-2f4f6a1f0001';
    const workflow = workflowOf([mail], { trigger: { eventType: 'order.placed', audienceId } });
    const simulated = (audiences: string[]) => simulate(workflow, { event: {}, user: { ...ADA, audiences } });
    expect(await simulated([])).toMatchObject({ verdict: 'audience', audienceId, steps: [] });
    expect(await simulated([audienceId])).toMatchObject({ verdict: 'started', steps: [{ outcome: 'ok' }] });
  });

  it('simulate runs a disabled workflow and reports that it is disabled', async () => {
    const simulated = { event: {}, user: ADA };
    expect(await simulate(workflowOf([mail], { isActive: false }), simulated)).toMatchObject({
      verdict: 'inactive',
      run: { status: 'completed' },
      steps: [{ path: '0' }],
    });
  });

  it('simulate ends a wait by a matching event in time, and stores its properties', async () => {
    const event = (afterMinutes: number, order: string) => ({
      eventType: 'order.paid',
      properties: { order },
      afterMinutes,
    });
    const paid = await run([waits, mail], { answers: { events: [event(20, '17'), event(1, '99'), event(9, '17')] } });
    expect(paid.steps).toMatchObject([
      { outcome: 'ok', output: { event: { order: '17' } }, finishedAt: new Date('2026-03-01T10:09:00.000Z') },
      { outcome: 'ok' },
    ]);
    expect(paid.run?.context).toEqual({ paid: { event: { order: '17' } } });
    const late = await run([waits, mail], { answers: { events: [event(60, '17')] } });
    expect(late).toMatchObject({ run: { exitReason: 'wait_timed_out' }, steps: [{ outcome: 'timed_out' }] });
    expect(late.run?.completedAt).toEqual(new Date('2026-03-01T11:00:00.000Z'));
  });

  it('an event ends one wait in a simulation, and the next wait needs another event', async () => {
    const events = [0, 10].map((afterMinutes) => ({
      eventType: 'order.paid',
      properties: { order: '17' },
      afterMinutes,
    }));
    const { steps } = await run([waits, { ...waits, config: { event: waits.config.event } }], { answers: { events } });
    expect(steps.map(({ outcome, finishedAt }) => [outcome, finishedAt.toISOString()])).toEqual([
      ['ok', NOW],
      ['ok', '2026-03-01T10:10:00.000Z'],
    ]);
  });

  it('simulate changes traits for later steps, and reports which', async () => {
    const edit = { type: 'update_profile', config: { set: { first_name: 'Lady' }, unset: ['plan'] } } as const;
    const { steps, run: ended } = await run([edit, mail]);
    expect(steps[0]?.changes).toEqual({ first_name: 'Lady', plan: null });
    expect(steps[1]?.send?.messages).toMatchObject([{ content: { subject: 'Hi Lady' } }]);
    expect(ended?.traits).toEqual({ first_name: 'Lady', email: 'ada@example.com' });
  });

  it('simulate explains why each message would not be sent', async () => {
    const push = { type: 'send_push', config: { title: 'Hi' } } as const;
    const nobody = await run([mail, push], { user: { userId: 'bob' } });
    expect(nobody.steps).toMatchObject([
      {
        outcome: 'suppressed',
        reason: 'no_address',
        send: { messages: [{ status: 'suppressed', reason: 'no_address' }] },
      },
      { outcome: 'suppressed', reason: 'no_token' },
    ]);
    const devices = [{ platform: 'ios' }, { platform: 'android' }] as const;
    const reached = await run([push], { user: { ...ADA, devices } });
    expect(reached.steps[0]?.send?.messages.map(({ status }) => status)).toEqual(['queued', 'queued']);
  });

  it('simulate uses the given answers of steps by path, name or saveAs', async () => {
    const named = { ...mail, config: { ...mail.config, name: 'First', onError: 'stop' } } as const;
    const failed = { outcome: 'error', reason: 'provider_not_configured' } as const;
    for (const key of ['0', 'First']) {
      const { run: ended, steps } = await run([named, mail], { answers: { steps: { [key]: failed } } });
      expect(ended).toMatchObject({ status: 'completed', outcome: 'error', exitReason: 'on_error_stop' });
      expect(steps).toMatchObject([{ ...failed, isMocked: true, send: null }]);
    }
    const saved = await run([waits, mail], { answers: { steps: { paid: { output: { event: { order: '1' } } } } } });
    expect(saved.run?.context).toEqual({ paid: { event: { order: '1' } } });
    expect(saved.steps.map(({ isMocked }) => isMocked)).toEqual([true, false]);
  });

  it('simulate evaluates branches and conditions like a run, and calls no model', async () => {
    const way = {
      type: 'branch',
      config: {
        branches: [{ name: 'free', when: { trait: 'plan', op: 'eq', value: 'free' }, steps: [mail] }],
        else: { steps: [] },
      },
    } as const;
    const kept = { ...mail, config: { ...mail.config, when: { trait: 'plan', op: 'eq', value: 'pro' } } } as const;
    const asks = { type: 'ai_action', config: { flavor: 'generate', prompt: 'Say hello.', saveAs: 'hello' } } as const;
    const { steps, run: ended } = await run([way, kept, asks]);
    expect(steps).toMatchObject([
      { path: '0', type: 'branch', outcome: 'ok' },
      { path: '0.0.0', type: 'send_email', outcome: 'ok' },
      { path: '1', outcome: 'skipped', reason: 'condition', send: null, isMocked: false },
      { path: '2', type: 'ai_action', outcome: 'ok', isMocked: true },
    ]);
    expect(ended?.context).toEqual({ hello: { text: expect.any(String) } });
  });

  it('simulate reads given templates, and no others', async () => {
    const templateId = '018f4e1e-7c3a-7b44-9d53-2f4f6a1f0002';
    const step = { type: 'send_email', config: { templateId } } as const;
    const content = { subject: 'Stored', text: 'x' };
    const given = await run([step], { answers: { templates: { [templateId]: { channel: 'email', content } } } });
    expect(given.steps[0]?.send?.messages).toMatchObject([{ content: { subject: 'Stored' } }]);
    expect((await run([step])).steps).toMatchObject([{ outcome: 'error', reason: 'template_not_found' }]);
  });

  it('simulate reports mistakes in the texts of the workflow', async () => {
    const typo = { type: 'send_sms', config: { body: 'Hi {{traits.name}}' } } as const;
    const { warnings } = await run([typo]);
    expect(warnings).toMatchObject([
      {
        name: 'Order placed',
        path: 'steps.0.config.body',
        code: 'unknown_variable',
        message: expect.stringContaining('{{trait.name}}'),
      },
    ]);
  });

  it('simulate rejects an invalid workflow or input with the path of the error', async () => {
    const refused = (workflow: unknown, input: unknown) =>
      // Safe: rejected values have no type.
      simulate(workflow as WorkflowInput, input as SimulateInput).then(
        () => [],
        (error: { details: { fieldErrors: object } }) => Object.keys(error.details.fieldErrors),
      );
    const event = {};
    expect(await refused(workflowOf([{ type: 'wait', config: { minutes: -1 } }]), { event, user: ADA })).toEqual([
      'steps.0.config.minutes',
    ]);
    for (const [input, path] of [
      [{ event }, 'user.userId'],
      [{ user: ADA }, 'event'],
      [{ event: { properties: [] }, user: ADA }, 'event.properties'],
      [{ event, user: { ...ADA, timezone: 'Mars/Base' } }, 'user.timezone'],
      [{ event, user: ADA, now: 'today' }, 'now'],
      [{ event, user: ADA, answer: {} }, 'answer'],
      [{ event, user: ADA, answers: { steps: { 0: { outcome: 'fine' } } } }, 'answers.steps.0.outcome'],
      [{ event, user: ADA, answers: { events: [{ eventType: 'e' }] } }, 'answers.events.0.afterMinutes'],
    ] as const)
      expect(await refused(workflowOf([mail]), input)).toEqual([path]);
  });
});
