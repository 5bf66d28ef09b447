import { describe, expect, it } from 'vitest';
import { workflowOf } from './testing/bundles.ts';
import { MAX_WARNINGS, warningsOf } from './warnings.ts';

const email = (text: string) => workflowOf({ steps: [{ type: 'send_email', config: { text } }] });
const variablesIn = (text: string): string[] => warningsOf([email(text)]).map(({ message }) => message);

describe('warningsOf', () => {
  it('warns of an audience, since the project has none', () => {
    const audienceId = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
    expect(warningsOf([workflowOf({ trigger: { eventType: 'e', audienceId } })])).toEqual([
      {
        name: 'Welcome',
        path: 'trigger.audienceId',
        code: 'unknown_audience',
        message: expect.stringContaining('starts for nobody'),
      },
    ]);
  });

  it('says nothing of variables that can have a value', () => {
    const text = '{{event.a}} {{ event.a.b }} {{trait.x.y}} {{user.email}} {{user.timezone}} {{user.userId}}';
    expect(warningsOf([email(text)])).toEqual([]);
  });

  it('warns of each variable that no scope has, once per text', () => {
    expect(
      variablesIn('{{plan}} {{plan}} {{user.plan}} {{user.email.x}} {{event}} {{steps.a.b}} {{secret.KEY}}'),
    ).toEqual(
      ['plan', 'user.plan', 'user.email.x', 'event', 'steps.a.b', 'secret.KEY'].map(
        (path) => `No scope has {{${path}}}; it renders empty.`,
      ),
    );
  });

  it('looks into every text of an email and every value of an update', () => {
    const [a, b] = ['{{a}}', '{{b}}'];
    const workflow = workflowOf({
      steps: [
        { type: 'send_email', config: { subject: a, html: b, to: a, headers: { 'X-A': b } } },
        { type: 'wait', config: { minutes: 1 } },
        { type: 'update_profile', config: { set: { x: [{ y: a }] }, increment: { n: b }, unset: ['{{c}}'] } },
      ],
    });
    expect(warningsOf([workflow]).map(({ path }) => path)).toEqual([
      'steps.0.config.to',
      'steps.0.config.subject',
      'steps.0.config.html',
      'steps.0.config.headers.X-A',
      'steps.2.config.set.x.0.y',
      'steps.2.config.increment.n',
    ]);
  });

  it('looks into every text of a push and of a text message', () => {
    const [a, b] = ['{{a}}', '{{b}}'];
    const actions = [{ id: 'x', title: a }];
    const workflow = workflowOf({
      steps: [
        { type: 'send_push', config: { title: a, body: b, data: { url: [a] }, actions, imageUrl: b, collapseKey: a } },
        { type: 'send_sms', config: { to: a, body: b } },
      ],
    });
    expect(warningsOf([workflow]).map(({ path }) => path)).toEqual([
      'steps.0.config.title',
      'steps.0.config.body',
      'steps.0.config.data.url.0',
      'steps.0.config.actions.0.title',
      'steps.0.config.imageUrl',
      'steps.1.config.to',
      'steps.1.config.body',
    ]);
  });

  it('stops at its limit', () => {
    const text = Array.from({ length: MAX_WARNINGS + 5 }, (_, at) => `{{x${at}}}`).join('');
    expect(warningsOf([email(text)])).toHaveLength(MAX_WARNINGS);
  });
});
