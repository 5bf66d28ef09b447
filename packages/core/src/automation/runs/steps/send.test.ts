import { describe, expect, it } from 'vitest';
import { fieldErrorsOf } from '../../../foundation/errors.ts';
import { stepTypes } from './list.ts';

const ID = '01890000-0000-7000-8000-000000000000';
const FILE = { filename: 'map.txt', contentType: 'text/plain', content: 'aGVyZQ==' };
const LARGE = { ...FILE, content: 'aGVy'.repeat(700 * 1_024) };
const refused = (type: string, config: object): string[] => {
  const { error } = stepTypes.schema.safeParse({ type, config });
  return error ? Object.keys(fieldErrorsOf(error)) : [];
};

describe('configs of steps that send', () => {
  it.each([
    ['send_push', { localizedBody: { es: 'Hola' } }],
    ['send_email', { localized: { es: { subject: 'Hola', text: 'Hola' } } }],
    ['send_sms', { localizedBody: { es: 'Hola' } }],
    ['send_email', { text: 't', attachments: [FILE] }],
    ['send_push', { title: 't', platforms: ['ios'], data: { from: 'us' } }],
    ['send_push', { title: 't', abTestId: ID }],
    ['send_email', { text: 't', abTestId: ID }],
    ['send_sms', { body: 'b', abTestId: ID }],
    ['send_push', { templateId: ID, abTestId: ID }],
    ['send_email', { templateId: ID, abTestId: ID }],
    ['send_sms', { templateId: ID, abTestId: ID }],
  ])('a %s step accepts %j', (type, config) => {
    expect(refused(type, config)).toEqual([]);
  });

  it.each([
    ['send_push', {}, 'config.body'],
    ['send_push', { title: 't', data: { from: 'us' } }, 'config.data.from'],
    ['send_push', { templateId: ID, platforms: ['web', 'android'], data: { from: 'us' } }, 'config.data.from'],
    ['send_email', { localized: {} }, 'config'],
    ['send_email', { text: 't', attachments: [{ ...FILE, content: 'no base64' }] }, 'config.attachments.0.content'],
    ['send_email', { text: 't', attachments: [FILE, { ...FILE, filename: 'a/b' }] }, 'config.attachments.1.filename'],
    ['send_email', { text: 't', attachments: Array(21).fill(FILE) }, 'config.attachments'],
    ['send_email', { text: 't', attachments: [LARGE] }, 'config.attachments'],
    ['send_sms', {}, 'config.body'],
    ['send_sms', { body: '', localizedBody: {} }, 'config.body'],
    ['send_sms', { templateId: ID, from: 'Acme', messagingServiceId: 'MG1' }, 'config.messagingServiceId'],
    ['send_push', { title: 't', abTestId: 'x' }, 'config.abTestId'],
    ['send_email', { text: 't', abTestId: 'x' }, 'config.abTestId'],
    ['send_sms', { body: 'b', abTestId: 'x' }, 'config.abTestId'],
  ])('a %s step rejects %j by %s', (type, config, field) => {
    expect(refused(type, config)).toEqual([field]);
  });
});
