import { describe, expect, it } from 'vitest';
import { emailTemplate } from '../email/template.ts';
import { pushTemplate } from '../push/template.ts';
import { smsTemplate } from '../sms/template.ts';
import { bodyWarnings } from './content-warnings.ts';

describe('warnings of a send body', () => {
  it('a warning begins with the field and suggests the likely path', () => {
    expect(
      bodyWarnings(smsTemplate, { body: 'Hi {{traits.first_name}}', localizedBody: { es: 'Hola {{trait.n' } }),
    ).toEqual([
      'body: No scope has {{traits.first_name}}; it renders empty. There are event, user and trait. Did you mean {{trait.first_name}}?',
      'localizedBody.es: The tag {{trait.n is not closed by }}.',
    ]);
  });

  it('tags of other systems in any text of a push are reported', () => {
    const actions = [{ id: 'a', title: '*|FNAME|*', url: 'https://a.example/%recipient.id%' }];
    expect(bodyWarnings(pushTemplate, { title: '{% if x %}', data: { a: ['<%= b %>'] }, actions })).toEqual([
      expect.stringMatching(/^title: \{% if x %\} is a tag of another system/),
      expect.stringMatching(/^data\.a\.0: <%= b %> /),
      expect.stringMatching(/^actions\.0\.title: /),
      expect.stringMatching(/^actions\.0\.url: /),
    ]);
  });

  it('placeholders in fields that are not rendered are reported', () => {
    const tag = '{{trait.a}}';
    const body = { title: tag, collapseKey: tag, variables: { a: tag }, tags: { [tag]: 'x' }, data: { [tag]: tag } };
    expect(bodyWarnings(pushTemplate, body).map((sentence) => sentence.split(': This is no template')[0])).toEqual([
      'collapseKey',
      'variables.a',
      `tags.${tag}`,
      `data.${tag}`,
    ]);
  });

  it('ordinary bodies have no warnings', () => {
    expect(
      bodyWarnings(emailTemplate, { subject: '50% off for {{trait.name}}', html: '<p>{{user.unsubscribeUrl}}</p>' }),
    ).toEqual([]);
    for (const body of [null, 'text', 7, [], {}, { html: 7, subject: null }])
      expect(bodyWarnings(emailTemplate, body)).toEqual([]);
  });

  it('the work is bounded, whatever a host passes besides texts', () => {
    const cycle: Record<string, unknown> = { tag: '{{x}}' };
    for (let at = 0; at < 20; at += 1) cycle[`k${at}`] = cycle;
    expect(bodyWarnings(smsTemplate, { body: 'b', extra: cycle })).toHaveLength(20);
    expect(bodyWarnings(smsTemplate, { body: 'b', extra: { ...cycle, tag: '', k0: 1 } }).length).toBeLessThanOrEqual(
      20,
    );
    const quiet: Record<string, unknown> = {};
    for (let at = 0; at < 20; at += 1) quiet[`k${at}`] = quiet;
    expect(bodyWarnings(smsTemplate, { body: 'b', extra: quiet })).toEqual([]);
  });

  it('there are at most twenty warnings', () => {
    const data = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`k${at}`, '{{x}}']));
    expect(bodyWarnings(pushTemplate, { data })).toHaveLength(20);
  });
});
