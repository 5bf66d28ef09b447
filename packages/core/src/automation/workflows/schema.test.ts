import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bundles, bundleWith, workflowOf } from '../../../test/support/workflows/bundles.ts';
import { BeckonError, isBeckonError } from '../../foundation/errors.ts';
import { STEP_TYPES } from '../runs/steps/catalog.ts';
import { parseBundle } from './schema.ts';

const refusal = (value: unknown): BeckonError => {
  try {
    parseBundle(value);
  } catch (error) {
    if (isBeckonError(error, 'VALIDATION_ERROR')) return error;
    throw error;
  }
  throw new Error('the bundle was accepted');
};
const fieldsOf = (value: unknown): Record<string, string[]> => {
  const { details } = refusal(value);
  return details && 'fieldErrors' in details ? (details.fieldErrors as Record<string, string[]>) : {};
};
const inWorkflow = (over: Record<string, unknown>) => bundleWith([{ ...workflowOf(), ...over }]);
const inStep = (step: unknown) => inWorkflow({ steps: [step] });
const inConfig = (type: string, config: unknown) => inStep({ type, config });
const CONFIG = 'workflows.0.steps.0.config';
const wait = { type: 'wait', config: { minutes: 1 } };

describe('parseBundle', () => {
  it('parseBundle accepts every valid project unchanged', () => {
    fc.assert(
      fc.property(bundles, (bundle) => {
        expect(parseBundle(bundle)).toEqual(bundle);
      }),
    );
  });

  it('an audience id is read in any letter case, as in conditions', () => {
    const id = '3F2504E0-4F89-41D3-9A0C-0305E82C3301';
    const steps = [{ type: 'wait', config: { minutes: 1, when: { audience: id, op: 'in' } } }];
    const [read] = parseBundle(inWorkflow({ trigger: { eventType: 'e', audienceId: id }, steps })).workflows;
    expect(read?.trigger.audienceId).toBe(id.toLowerCase());
    expect(read?.steps[0]?.config.when).toEqual({ audience: id.toLowerCase(), op: 'in' });
  });

  it('parseBundle throws only VALIDATION_ERROR for any input', () => {
    const anything = fc.oneof(
      fc.anything({ withBigInt: true, withDate: true }),
      fc.anything().map((step) => inStep(step)),
      fc.tuple(fc.constantFrom(...STEP_TYPES), fc.anything()).map(([type, config]) => inConfig(type, config)),
    );
    fc.assert(
      fc.property(anything, (value) => {
        try {
          parseBundle(value);
        } catch (error) {
          expect(error).toBeInstanceOf(BeckonError);
          expect(error).toHaveProperty('code', 'VALIDATION_ERROR');
        }
      }),
    );
  });

  it('push and SMS steps accept the fields of their channels, without adding defaults', () => {
    const steps = [
      {
        type: 'send_push',
        config: {
          title: 'Hi {{trait.name}}',
          data: { url: 'https://x.test' },
          actions: [{ id: 'a', title: 'Open' }],
          criticalAlert: { soundName: 'alarm', volume: 1 },
          platforms: ['ios'],
        },
      },
      { type: 'send_sms', config: { body: 'Hi', to: '{{trait.phone}}', from: 'Acme' } },
    ];
    expect(parseBundle(inWorkflow({ steps })).workflows[0]?.steps).toEqual(steps);
  });

  it.each([
    ['send_push', { title: 't', colour: 'red' }, `${CONFIG}.colour`],
    ['send_push', { title: 't', actions: [{ id: 'a', title: 'A', colour: 'red' }] }, `${CONFIG}.actions.0.colour`],
    ['send_push', { title: 't', criticalAlert: { soundName: 's', colour: 'red' } }, `${CONFIG}.criticalAlert.colour`],
    ['send_push', { title: 't', userIds: ['u'] }, `${CONFIG}.userIds`],
    ['send_push', { sound: 's' }, `${CONFIG}.body`],
    ['send_push', { title: 't', templateId: 'x' }, `${CONFIG}.templateId`],
    ['send_sms', { body: 'b', colour: 'red' }, `${CONFIG}.colour`],
    ['send_sms', { body: 'b', from: 'Acme', messagingServiceId: 'MG1' }, `${CONFIG}.messagingServiceId`],
    ['send_sms', {}, `${CONFIG}.body`],
  ])('a field in %s that its channel does not have is rejected: %j', (type, config, path) => {
    expect(Object.keys(fieldsOf(inConfig(type, config)))).toEqual([path]);
  });

  it.each([
    ['the bundle', { ...bundleWith([]), orgId: 'o' }, 'orgId'],
    ['a workflow', inWorkflow({ id: 'w' }), 'workflows.0.id'],
    ['a trigger', inWorkflow({ trigger: { eventType: 'e', event: 'e' } }), 'workflows.0.trigger.event'],
    ['a step', inStep({ ...wait, id: 's' }), 'workflows.0.steps.0.id'],
    ['a config', inConfig('wait', { minutes: 1, minute: 1 }), `${CONFIG}.minute`],
  ])('an unknown key in %s is rejected by its path', (_, value, path) => {
    expect(fieldsOf(value)).toEqual({ [path]: ['unknown field'] });
  });

  it('the number 1 is the version in any notation', () => {
    expect(parseBundle(JSON.parse('{"version":1.0,"exportedAt":"","workflows":[]}')).workflows).toEqual([]);
  });

  it.each([['1'], [2], [null], [true], [[1]]])('the version %j is rejected with the supported versions', (version) => {
    expect(refusal({ ...bundleWith([]), version }).details).toEqual({
      reason: 'unsupported_bundle_version',
      supported: [1],
      fieldErrors: { version: ['must be 1'] },
    });
  });

  it('missing fields are reported', () => {
    expect(Object.keys(fieldsOf({}))).toEqual(['version', 'exportedAt', 'workflows']);
    expect(Object.keys(fieldsOf(bundleWith([{}])))).toEqual(
      ['name', 'description', 'trigger', 'steps', 'isActive'].map((key) => `workflows.0.${key}`),
    );
  });

  it('the response of an export is rejected with a hint at data', () => {
    const { message, details } = refusal({ success: true, data: bundleWith([]) });
    expect(message).toContain('"data"');
    expect(details).toEqual({ fieldErrors: { data: [message] } });
  });

  it('a duplicate name is rejected with the position of the first', () => {
    const names = ['a', 'b', 'a'].map((name) => workflowOf({ name }));
    expect(fieldsOf(bundleWith(names))).toEqual({
      'workflows.2.name': ['is already the name of workflows.0'],
    });
  });

  it('names that become equal by normalization are duplicates', () => {
    const names = ['x\ud800', 'x\ufffd'].map((name) => workflowOf({ name }));
    expect(Object.keys(fieldsOf(bundleWith(names)))).toEqual(['workflows.1.name']);
  });

  it('the error for an unknown step type lists the known ones', () => {
    expect(fieldsOf(inConfig('send_fax', {}))['workflows.0.steps.0.type']?.[0]).toContain('send_email, send_push');
  });

  it('every limit accepts its maximum and rejects one more', () => {
    const isAccepted = (value: unknown) => Object.keys(parseBundle(value)).length > 0;
    const many = (count: number) => Array.from({ length: count }, (_, at) => workflowOf({ name: `${at}` }));
    const filters = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 'v']));
    const cases: [string, (count: number) => unknown, number][] = [
      ['workflows', (count) => bundleWith(many(count)), 1_000],
      ['workflows.0.name', (count) => inWorkflow({ name: 'n'.repeat(count) }), 200],
      ['workflows.0.description', (count) => inWorkflow({ description: 'd'.repeat(count) }), 2_000],
      ['workflows.0.steps', (count) => inWorkflow({ steps: Array(count).fill(wait) }), 100],
      ['workflows.0.trigger.eventType', (count) => inWorkflow({ trigger: { eventType: 'e'.repeat(count) } }), 128],
      [
        'workflows.0.trigger.filters',
        (count) => inWorkflow({ trigger: { eventType: 'e', filters: filters(count) } }),
        100,
      ],
      ['workflows.0.steps.0.delayMinutes', (count) => inStep({ ...wait, delayMinutes: count }), 525_600],
      [`${CONFIG}.minutes`, (minutes) => inConfig('wait', { minutes }), 525_600],
      [`${CONFIG}.subject`, (count) => inConfig('send_email', { text: 'x', subject: 's'.repeat(count) }), 998],
      [`${CONFIG}.text`, (count) => inConfig('send_email', { text: 't'.repeat(count) }), 1_048_576],
    ];
    for (const [path, make, limit] of cases) {
      expect(isAccepted(make(limit))).toBe(true);
      expect(Object.keys(fieldsOf(make(limit + 1)))).toEqual([path]);
    }
  });

  it('saveAs accepts only names that templates can use', () => {
    const saving = (saveAs: unknown) => inConfig('wait', { minutes: 1, saveAs });
    for (const name of ['a', 'Order-2_x', 'n'.repeat(64)]) expect(parseBundle(saving(name)).workflows).toHaveLength(1);
    for (const name of ['', 'a.b', '2a', '_a', 'a b', 'a}', '__proto__', 'n'.repeat(65), 1, null])
      expect(Object.keys(fieldsOf(saving(name)))).toEqual([`${CONFIG}.saveAs`]);
  });

  it('minutes must be integers of at least 0', () => {
    for (const minutes of [-1, 0.5, '5', null])
      expect(Object.keys(fieldsOf(inConfig('wait', { minutes })))).toEqual([`${CONFIG}.minutes`]);
    expect(parseBundle(inConfig('wait', { minutes: 0 })).workflows).toHaveLength(1);
  });

  it('a wait must have exactly one thing to wait for', () => {
    const message = 'needs exactly one of minutes, until, window, event';
    expect(fieldsOf(inConfig('wait', {}))).toEqual({ [CONFIG]: [message] });
  });

  it.each([
    [{ eventType: undefined }, 'eventType'],
    [{ eventType: '' }, 'eventType'],
    [{ eventType: 'e'.repeat(129) }, 'eventType'],
    [{ timeoutMinutes: undefined }, 'timeoutMinutes'],
    [{ timeoutMinutes: 0 }, 'timeoutMinutes'],
    [{ timeoutMinutes: 525_601 }, 'timeoutMinutes'],
    [{ onTimeout: undefined }, 'onTimeout'],
    [{ onTimeout: 'stop' }, 'onTimeout'],
    [{ filters: { plan: 1 } }, 'filters.plan'],
    [{ filter: {} }, 'filter'],
  ])('a wait for an event with %j is rejected by the path of %s', (over, key) => {
    const whole = { eventType: 'paid', timeoutMinutes: 525_600, onTimeout: 'exit', filters: { plan: 'pro' } };
    expect(parseBundle(inConfig('wait', { event: whole })).workflows).toHaveLength(1);
    expect(Object.keys(fieldsOf(inConfig('wait', { event: { ...whole, ...over } })))).toEqual([
      `${CONFIG}.event.${key}`,
    ]);
  });

  it.each(['\r\nBcc: a@example.com', 'a\nb', 'a\0b', 'a\u2028b'])('%j is rejected in header lines', (text) => {
    for (const field of ['subject', 'to', 'from', 'replyTo'])
      expect(Object.keys(fieldsOf(inConfig('send_email', { text: 'x', [field]: text })))).toEqual([
        `${CONFIG}.${field}`,
      ]);
    expect(fieldsOf(inConfig('send_email', { text: 'x', headers: { 'X-A': text } }))).toHaveProperty([
      `${CONFIG}.headers.X-A`,
    ]);
    expect(refusal(inConfig('send_email', { text: 'x', headers: { [text]: 'a' } })).code).toBe('VALIDATION_ERROR');
  });

  it('an email must have a body and at most one HTML part', () => {
    expect(Object.keys(fieldsOf(inConfig('send_email', { subject: 'x' })))).toEqual([CONFIG]);
    expect(Object.keys(fieldsOf(inConfig('send_email', { html: 'x', bodyHtml: 'y' })))).toEqual([`${CONFIG}.bodyHtml`]);
  });

  it('an update must change something; added values must be numbers or templates', () => {
    expect(Object.keys(fieldsOf(inConfig('update_profile', { name: 'x' })))).toEqual([CONFIG]);
    const increment = { a: 1, b: '{{event.n}}', c: 'one', d: true };
    expect(Object.keys(fieldsOf(inConfig('update_profile', { increment })))).toEqual([
      `${CONFIG}.increment.c`,
      `${CONFIG}.increment.d`,
    ]);
  });

  it('keys and names that databases store differently are rejected', () => {
    const set = JSON.parse('{"__proto__":1}');
    expect(fieldsOf(inConfig('update_profile', { set }))).toHaveProperty([`${CONFIG}.set.__proto__`]);
    expect(Object.keys(fieldsOf(inWorkflow({ name: 'a\0b' })))).toEqual(['workflows.0.name']);
    expect(Object.keys(fieldsOf(inWorkflow({ trigger: { eventType: '\0' } })))).toEqual([
      'workflows.0.trigger.eventType',
    ]);
  });

  it('free text is normalized for storage', () => {
    const { workflows } = parseBundle(inWorkflow({ description: 'a\0b\ud800' }));
    expect(workflows[0]?.description).toBe('a\ufffdb\ufffd');
  });

  it('values nested too deep to store are rejected', () => {
    const nested = JSON.parse(`${'['.repeat(15_000)}${']'.repeat(15_000)}`);
    expect(refusal(inConfig('update_profile', { set: { a: nested } })).code).toBe('VALIDATION_ERROR');
  });

  it('an error in the middle of a bundle has its full path', () => {
    const broken = workflowOf({ name: 'c', steps: [{ type: 'wait', config: { minutes: 525_601 } }] });
    const value = bundleWith([workflowOf({ name: 'a' }), workflowOf({ name: 'b' }), broken]);
    expect(Object.keys(fieldsOf(value))).toEqual(['workflows.2.steps.0.config.minutes']);
  });
});
