import { describe, expect, it } from 'vitest';
import { isBeckonError } from '../../foundation/errors.ts';
import { emailTemplate } from '../email/template.ts';
import { pushTemplate } from '../push/template.ts';
import { smsTemplate } from '../sms/template.ts';
import type { TemplateKinds } from './kind.ts';
import { MAX_TEMPLATE_NAME, parseTemplate, patchTemplate, readContent } from './schema.ts';

const kinds: TemplateKinds = { push: pushTemplate, email: emailTemplate, sms: smsTemplate };
const refused = (work: () => unknown): string[] => {
  try {
    work();
    return [];
  } catch (error) {
    if (!isBeckonError(error, 'VALIDATION_ERROR')) throw error;
    return Object.keys(error.details?.fieldErrors ?? {});
  }
};

describe('parseTemplate', () => {
  it('fields are stored as received, without defaults', () => {
    expect(parseTemplate(pushTemplate, { name: 'N', title: 't', criticalAlert: null })).toEqual({
      name: 'N',
      content: { title: 't' },
      warnings: [],
    });
    const mail = { subject: 's', text: 't', from: 'a@example.com', replyTo: { email: 'b@example.com', name: 'B' } };
    expect(parseTemplate(emailTemplate, { name: 'N', ...mail, html: undefined }).content).toEqual(mail);
    const linked = { name: 'N', subject: 'S', text: '{{user.unsubscribeUrl}}' };
    expect(parseTemplate(emailTemplate, linked).warnings).toEqual([]);
  });

  it.each([
    ['sms', { body: 'b' }, 'name'],
    ['push', { name: 'N', title: 't', data: { 'google.sent': 1 } }, 'data.google.sent'],
    ['sms', { name: '', body: 'b' }, 'name'],
    ['sms', { name: 'x'.repeat(MAX_TEMPLATE_NAME + 1), body: 'b' }, 'name'],
    ['sms', { name: 'a\nb', body: 'b' }, 'name'],
    ['sms', { name: 'N' }, 'body'],
    ['sms', { name: 'N', body: 'b', to: '+14155550123' }, 'to'],
    ['sms', { name: 'N', body: 'b', maxSegments: 0 }, 'maxSegments'],
    ['sms', { name: 'N', body: 'b', from: 'Acme', messagingServiceId: 'MG1' }, 'messagingServiceId'],
    ['push', { name: 'N' }, 'body'],
    ['push', { name: 'N', title: 't', userIds: ['u'] }, 'userIds'],
    ['push', { name: 'N', title: 't', platforms: ['ios'] }, 'platforms'],
    ['push', { name: 'N', title: 't', actions: [{ id: 'a', title: 'A', colour: 'red' }] }, 'actions.0.colour'],
    ['push', { name: 'N', title: 't', criticalAlert: { soundName: 's', colour: 'red' } }, 'criticalAlert.colour'],
    ['email', { name: 'N', subject: 's' }, 'text'],
    ['email', { name: 'N', text: 't' }, 'subject'],
    ['email', { name: 'N', subject: 's', html: 'h', bodyHtml: 'b' }, 'bodyHtml'],
    ['email', { name: 'N', subject: 's', text: 't', from: { email: 'a@example.com', colour: 'red' } }, 'from.colour'],
    ['email', { name: 'N', subject: 's', text: 't', templateId: 'x' }, 'templateId'],
  ] as const)('a template of %s %j is rejected for %s', (channel, body, field) => {
    expect(refused(() => parseTemplate(kinds[channel], body))).toEqual([field]);
  });

  it.each([
    ['sms', { body: 'Hi {{name}}' }, 'body'],
    ['push', { title: '{{trait.name' }, 'title'],
    ['push', { title: 't', data: { order: { url: 'https://shop.example/{{order.id}}' } } }, 'data.order.url'],
    ['push', { title: 't', actions: [{ id: 'a', title: '{{}}' }] }, 'actions.0.title'],
    ['email', { subject: 's', html: '<p>{{trait..name}}</p>' }, 'html'],
    ['email', { subject: 's', preheader: '{{event}}', text: 't' }, 'preheader'],
  ] as const)('a template of %s %j that would not render is rejected for %s', (channel, body, field) => {
    expect(refused(() => parseTemplate(kinds[channel], { name: 'N', ...body }))).toEqual([field]);
  });

  it('legal but unusual texts get a warning by field', () => {
    const { warnings } = parseTemplate(pushTemplate, {
      name: 'N',
      title: '{{user.name}}',
      data: { a: ['{{{trait.x}}}'] },
    });
    expect(warnings.map(({ path, code }) => [path, code])).toEqual([
      ['title', 'unknown_variable'],
      ['data.a.0', 'stray_brace'],
    ]);
  });

  it('tags of other systems, and placeholders in fields that are not rendered, get a warning', () => {
    const { warnings } = parseTemplate(pushTemplate, {
      name: 'N',
      title: 'Hi *|FNAME|*',
      threadId: '{{event.order}}',
      actions: [{ id: '{{event.order}}', title: '{{event.order}}' }],
    });
    expect(warnings.map(({ path, code }) => [path, code])).toEqual([
      ['title', 'foreign_tag'],
      ['threadId', 'not_rendered'],
      ['actions.0.id', 'not_rendered'],
    ]);
  });

  it('a key that would set a prototype is rejected', () => {
    const body = JSON.parse('{"name":"N","title":"t","data":{"__proto__":1}}');
    expect(refused(() => parseTemplate(pushTemplate, body))).toEqual(['data.__proto__']);
  });
});

describe('patchTemplate', () => {
  const current = { name: 'N', content: { title: 't', body: 'b' } };

  it('a patch changes the named fields, removes nulls and keeps the others', () => {
    expect(patchTemplate(pushTemplate, current, { body: null, data: { a: 1 } })).toMatchObject({
      name: 'N',
      content: { title: 't', data: { a: 1 } },
    });
    expect(patchTemplate(pushTemplate, current, { name: 'M', title: undefined })).toMatchObject({
      name: 'M',
      content: current.content,
    });
  });

  it.each([
    [{}, 'body'],
    [null, 'body'],
    [{ colour: 'red' }, 'colour'],
    [{ name: null }, 'name'],
    [{ title: null, body: null }, 'body'],
    [{ title: '{{x' }, 'title'],
  ])('the patch %j is rejected', (patch, field) => {
    expect(refused(() => patchTemplate(pushTemplate, current, patch))).toEqual([field]);
  });
});

describe('readContent', () => {
  it("readContent returns the output of a send body's schema, or its problems", () => {
    expect(readContent(smsTemplate, { body: 'b' })).toEqual({ ok: true, content: { body: 'b', maxSegments: 4 } });
    expect(readContent(smsTemplate, {})).toEqual({ ok: false, problems: { body: [expect.any(String)] } });
    expect(readContent(smsTemplate, { localizedBody: { es: 'b' } })).toMatchObject({ ok: true });
  });

  it('data with a key that Android reserves is accepted in a template, because other platforms allow it', () => {
    const content = { title: 't', data: { from: 'us' } };
    expect(readContent(pushTemplate, content)).toMatchObject({ ok: true, content });
  });

  it('a template cannot name an A/B test, which belongs to a send', () => {
    for (const kind of Object.values(kinds)) expect(Object.keys(kind.fields)).not.toContain('abTestId');
  });
});

describe('filling a template', () => {
  const localized = { es: { subject: 'S', text: 'T', html: 'H' }, nl: { html: 'H' } };
  it.each([
    ['push', { title: 't', body: 'b', sound: 's' }, { body: 'own' }, { title: 't', body: 'own', sound: 's' }],
    ['push', { title: 't', localizedTitle: { es: 'x' } }, { title: 'own' }, { title: 'own' }],
    [
      'push',
      { body: 'b', localizedBody: { es: 'x' } },
      { title: 'own' },
      { title: 'own', body: 'b', localizedBody: { es: 'x' } },
    ],
    ['push', { title: 't' }, { title: undefined }, { title: 't' }],
    ['sms', { body: 'b', from: 'Acme' }, { messagingServiceId: 'MG1' }, { body: 'b', messagingServiceId: 'MG1' }],
    ['sms', { body: 'b', localizedBody: { es: 'x' } }, { body: 'own' }, { body: 'own' }],
    ['email', { subject: 's', html: 'h' }, { bodyHtml: 'own' }, { subject: 's', bodyHtml: 'own' }],
    ['email', { subject: 's', html: 'h', text: 't' }, { text: 'own' }, { subject: 's', html: 'h', text: 'own' }],
    ['email', { html: 'h', localized }, { bodyHtml: 'own' }, { bodyHtml: 'own', localized: { es: { subject: 'S' } } }],
    ['email', { localized: { nl: { html: 'H' } } }, { text: 'own' }, { text: 'own' }],
    [
      'email',
      { localized },
      { subject: 'own' },
      { subject: 'own', localized: { es: { text: 'T', html: 'H' }, nl: { html: 'H' } } },
    ],
    ['email', { localized }, { localized: { fr: { text: 'F' } } }, { localized: { fr: { text: 'F' } } }],
  ] as const)('a template of %s %j under own fields %j gives %j', (channel, template, own, filled) => {
    expect(kinds[channel].fill(template, own)).toEqual(filled);
  });
});
