import { describe, expect, it } from 'vitest';
import { workflowOf } from '../../../test/support/workflows/bundles.ts';
import type { TestTexts } from '../../messaging/ab-tests/tested-texts.ts';
import type { Workflow } from './schema.ts';
import { audiencesIn, MAX_WARNINGS, secretNamesIn, warningsOf } from './warnings.ts';

const NOTHING = {
  channels: new Set<never>(),
  templates: new Set<string>(),
  audiences: null,
  tests: null,
  secrets: new Set<string>(),
  isModelless: false,
};
const email = (text: string) => workflowOf({ steps: [{ type: 'send_email', config: { subject: 's', text } }] });
const variablesIn = (text: string): string[] => warningsOf([email(text)]).map(({ message }) => message);

const TEST = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
describe('warnings of A/B tests', () => {
  const step = (type: 'send_push' | 'send_sms' | 'send_email', config: object) =>
    workflowOf({ steps: [{ type, config: { ...config, abTestId: TEST } }] });
  const told = (workflow: ReturnType<typeof workflowOf>, tests: ReadonlyMap<string, TestTexts> | null) =>
    warningsOf([workflow], { ...NOTHING, tests }).map(({ path, code }) => `${path} ${code}`);
  const testOf = (name: string, ...variants: readonly (readonly string[])[]) =>
    new Map([[`${name}/${TEST}`, new Map(variants.map((fields, at) => [`v${at}`, new Set(fields)]))]]);

  it('a missing A/B test of the channel is reported if tests were checked', () => {
    const sms = step('send_sms', { body: 'b' });
    expect(told(sms, new Map())).toEqual(['steps.0.config.abTestId unknown_ab_test']);
    expect(told(sms, testOf('push', []))).toEqual(['steps.0.config.abTestId unknown_ab_test']);
    expect(told(sms, testOf('sms', []))).toEqual([]);
    expect(told(sms, null)).toEqual([]);
  });

  it('localized fields that hide a variant are reported', () => {
    const push = step('send_push', { title: 't', localizedTitle: { es: 'T' }, localizedBody: { es: 'B' } });
    expect(told(push, testOf('push', ['title'], ['body', 'localizedBody'], []))).toEqual([
      'steps.0.config.localizedTitle hidden_variants',
    ]);
    expect(told(push, testOf('push', ['title', 'body']))).toEqual([
      'steps.0.config.localizedTitle hidden_variants',
      'steps.0.config.localizedBody hidden_variants',
    ]);
    const mail = step('send_email', { subject: 's', text: 't', localized: { es: { subject: 'S' } } });
    expect(told(mail, testOf('email', ['html'], ['subject', 'localized']))).toEqual([
      'steps.0.config.localized hidden_variants',
    ]);
    expect(told(step('send_sms', { body: 'b', localizedBody: {} }), testOf('sms', ['body']))).toEqual([]);
  });
});

describe('warningsOf', () => {
  it('an audience is reported if the project is unknown', () => {
    const audienceId = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
    expect(warningsOf([workflowOf({ trigger: { eventType: 'e', audienceId } })])).toEqual([
      {
        name: 'Welcome',
        path: 'trigger.audienceId',
        code: 'unknown_audience',
        message: expect.stringContaining('does not start until you map it'),
      },
    ]);
  });

  it('missing audiences in conditions are reported', () => {
    const [here, gone] = ['3f2504e0-4f89-41d3-9a0c-0305e82c3301', '3f2504e0-4f89-41d3-9a0c-0305e82c3302'];
    const asks = (audience: string) => ({ not: { audience, op: 'in' as const } });
    const arm = { name: 'a', when: asks(gone), steps: [] };
    const workflow = workflowOf({
      steps: [
        { type: 'wait', config: { minutes: 1, when: asks(here) } },
        { type: 'branch', config: { branches: [{ ...arm, name: 'b', when: asks(here) }, arm], when: asks(gone) } },
      ],
    });
    const lacking = { ...NOTHING, audiences: new Set([gone]) };
    expect(audiencesIn([workflow])).toEqual([here, gone, here, gone]);
    expect(warningsOf([workflow], lacking).map(({ path, code }) => [path, code])).toEqual([
      ['steps.1.config.when', 'unknown_audience'],
      ['steps.1.config.branches.1.when', 'unknown_audience'],
    ]);
  });

  it('variables that can have a value are not reported', () => {
    const text = '{{event.a}} {{ event.a.b }} {{trait.x.y}} {{user.email}} {{user.timezone}} {{user.userId}}';
    expect(warningsOf([email(text)])).toEqual([]);
  });

  it('the unsubscribe link is known in texts of an email only', () => {
    const link = '{{user.unsubscribeUrl}}';
    const config = { subject: link, html: link, localized: { de: { text: link } } };
    const warned = (step: Workflow['steps'][number]) =>
      warningsOf([workflowOf({ steps: [step] })])
        .filter(({ code }) => code === 'unknown_variable')
        .map(({ path }) => path);
    expect(warned({ type: 'send_email', config })).toEqual([]);
    expect(warned({ type: 'send_email', config: { ...config, to: link } })).toEqual(['steps.0.config.to']);
    expect(warned({ type: 'send_sms', config: { body: link } })).toEqual(['steps.0.config.body']);
  });

  it('each variable of an unknown scope is reported once per text', () => {
    const paths = ['plan', 'user.plan', 'user.email.x', 'event', 'steps.a.b', 'secret.KEY'];
    const found = variablesIn(['plan', ...paths].map((path) => `{{${path}}}`).join(' '));
    expect(found).toHaveLength(paths.length);
    for (const [at, path] of paths.entries()) expect(found[at]).toContain(`{{${path}}}`);
  });

  it('all texts of an email and values of an update are checked', () => {
    const [a, b] = ['{{a}}', '{{b}}'];
    const workflow = workflowOf({
      steps: [
        { type: 'send_email', config: { subject: a, html: b, to: a, headers: { 'X-A': b } } },
        { type: 'wait', config: { minutes: 1 } },
        { type: 'update_profile', config: { set: { x: [{ y: a }] }, increment: { n: b }, unset: ['{{c}}'] } },
      ],
    });
    const unknown = warningsOf([workflow]).filter(({ code }) => code === 'unknown_variable');
    expect(unknown.map(({ path }) => path)).toEqual([
      'steps.0.config.to',
      'steps.0.config.subject',
      'steps.0.config.html',
      'steps.2.config.set.x.0.y',
      'steps.2.config.increment.n',
    ]);
  });

  it('all texts of a push and of an SMS are checked', () => {
    const [a, b] = ['{{a}}', '{{b}}'];
    const actions = [{ id: 'x', title: a }];
    const workflow = workflowOf({
      steps: [
        { type: 'send_push', config: { title: a, body: b, data: { url: [a] }, actions, imageUrl: b, collapseKey: a } },
        { type: 'send_sms', config: { to: a, body: b } },
      ],
    });
    const unknown = warningsOf([workflow]).filter(({ code }) => code === 'unknown_variable');
    expect(unknown.map(({ path }) => path)).toEqual([
      'steps.0.config.title',
      'steps.0.config.body',
      'steps.0.config.data.url.0',
      'steps.0.config.actions.0.title',
      'steps.0.config.imageUrl',
      'steps.1.config.to',
      'steps.1.config.body',
    ]);
  });

  it('an email without a subject is reported', () => {
    const without = (subject?: string) =>
      workflowOf({
        steps: [{ type: 'send_email', config: { text: 't', ...(subject === undefined ? {} : { subject }) } }],
      });
    for (const subject of [undefined, '', ' '])
      expect(warningsOf([without(subject)])).toEqual([
        {
          name: 'Welcome',
          path: 'steps.0.config.subject',
          code: 'no_subject',
          message: expect.stringContaining('subject'),
        },
      ]);
    expect(warningsOf([without('{{event.x}}')])).toEqual([]);
  });

  it('messages to an address, which belong to no user, are reported', () => {
    const steps = [
      { type: 'send_email' as const, config: { to: '{{user.email}}', subject: 's', text: 't' } },
      { type: 'send_sms' as const, config: { to: '+14155550123', body: 'b' } },
      { type: 'send_sms' as const, config: { body: 'b' } },
    ];
    expect(warningsOf([workflowOf({ steps })])).toEqual(
      [0, 1].map((at) => ({
        name: 'Welcome',
        path: `steps.${at}.config.to`,
        code: 'no_person',
        message: expect.stringContaining('belongs to no user'),
      })),
    );
  });

  it('steps on a channel without a provider are reported', () => {
    const steps = [
      { type: 'send_email' as const, config: { subject: 's', text: 't' } },
      { type: 'wait' as const, config: { minutes: 1 } },
      { type: 'send_push' as const, config: { title: 't' } },
    ];
    const workflow = workflowOf({ steps });
    expect(warningsOf([workflow], { ...NOTHING, channels: new Set(['email', 'sms']) })).toEqual([
      { name: 'Welcome', path: 'steps.0.type', code: 'no_provider', message: expect.stringContaining('email') },
    ]);
    expect(warningsOf([workflow])).toEqual([]);
  });

  it('missing secrets are reported per header, and missing models per step', () => {
    const headers = { Authorization: 'Bearer {{secret.TOKEN}}', 'X-Other': '{{secret.THERE}}{{event.x}}' };
    const steps = [
      { type: 'webhook' as const, config: { url: 'https://a.example/x', headers } },
      { type: 'ai_action' as const, config: { flavor: 'generate' as const, prompt: 'Hello', saveAs: 'text' } },
    ];
    const workflow = workflowOf({ steps });
    expect(secretNamesIn([workflow])).toEqual(['TOKEN', 'THERE']);
    expect(warningsOf([workflow])).toEqual([]);
    expect(warningsOf([workflow], { ...NOTHING, secrets: new Set(['TOKEN']), isModelless: true })).toEqual([
      {
        name: 'Welcome',
        path: 'steps.0.config.headers.Authorization',
        code: 'missing_secret',
        message: expect.stringContaining('TOKEN'),
      },
      { name: 'Welcome', path: 'steps.1.type', code: 'no_model', message: expect.stringContaining('ai_unavailable') },
    ]);
  });

  it('a secret in a field that does not support secrets is reported', () => {
    const url = 'https://a.example/{{secret.TOKEN}}';
    const steps = [{ type: 'webhook' as const, config: { url, body: { key: '{{secret.TOKEN}}' } } }];
    expect(warningsOf([workflowOf({ steps })]).map(({ path, code }) => [path, code])).toEqual([
      ['steps.0.config.url', 'unknown_variable'],
      ['steps.0.config.body.key', 'unknown_variable'],
    ]);
  });

  it('the warnings stop at the limit', () => {
    const set = Object.fromEntries(Array.from({ length: MAX_WARNINGS + 5 }, (_, at) => [`t${at}`, '{{x}}']));
    expect(
      warningsOf([
        workflowOf({ steps: [{ type: 'update_profile', config: { set: JSON.parse(JSON.stringify(set)) } }] }),
      ]),
    ).toHaveLength(MAX_WARNINGS);
  });

  it('placeholders in fields that are not templates are reported', () => {
    const tag = '{{event.order}}';
    const workflow = workflowOf({
      trigger: { eventType: 'e', filters: { order: tag } },
      steps: [
        {
          type: 'send_push',
          config: {
            title: tag,
            collapseKey: tag,
            data: { order: tag, [tag]: 1 },
            actions: [{ id: tag, title: tag }],
            when: { trait: 'order', op: 'eq', value: tag },
          },
        },
        { type: 'send_email', config: { subject: tag, text: tag, headers: { 'X-Order': tag } } },
        { type: 'update_profile', config: { set: { [tag]: tag }, unset: [tag] } },
        {
          type: 'branch',
          config: {
            branches: [
              {
                name: 'a',
                when: { path: 'event.a', op: 'eq', value: tag },
                steps: [{ type: 'wait', config: { minutes: 1, name: tag } }],
              },
            ],
          },
        },
        {
          type: 'wait',
          config: { event: { eventType: tag, filters: { [tag]: tag }, timeoutMinutes: 5, onTimeout: 'exit' } },
        },
      ],
    });
    expect(warningsOf([workflow]).map(({ path, code }) => `${path} ${code}`)).toEqual(
      [
        'trigger.filters.order',
        'steps.0.config.collapseKey',
        `steps.0.config.data.${tag}`,
        'steps.0.config.actions.0.id',
        'steps.0.config.when.value',
        'steps.1.config.headers.X-Order',
        `steps.2.config.set.${tag}`,
        'steps.2.config.unset.0',
        'steps.3.config.branches.0.when.value',
        'steps.3.config.branches.0.steps.0.config.name',
        'steps.4.config.event.eventType',
        `steps.4.config.event.filters.${tag}`,
      ].map((path) => `${path} not_rendered`),
    );
  });

  it('unclosed tags and tags of other systems in step texts are reported', () => {
    const steps = [{ type: 'send_sms' as const, config: { body: 'Hi {{trait.name, *|FNAME|*' } }];
    expect(warningsOf([workflowOf({ steps })]).map(({ path, code }) => [path, code])).toEqual([
      ['steps.0.config.body', 'unclosed_tag'],
      ['steps.0.config.body', 'foreign_tag'],
    ]);
  });
});
