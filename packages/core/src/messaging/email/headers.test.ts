import { describe, expect, it } from 'vitest';
import { bundleWith, workflowOf } from '../../../test/support/workflows/bundles.ts';
import { parseBundle } from '../../automation/workflows/schema.ts';
import { isBeckonError } from '../../foundation/errors.ts';
import { headerProblems } from './headers.ts';
import { parseEmailSend } from './schema.ts';

describe('custom email headers', () => {
  it('a custom header may be any single line that Beckon does not set', () => {
    const headers = {
      'X-Campaign': 'Frühling "1", <ok>',
      'Auto-Submitted': 'auto-generated',
      References: '<1@x.test>',
      'List-Unsubscribe': '<https://x.test/u/1>, <mailto:u@x.test>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    };
    expect([...headerProblems(headers)]).toEqual([]);
  });

  it.each(['\r\nBcc: eve@x.test', 'a\nb', 'a\rb', 'a\0b', 'a\u2028b', 'a\u2029b', 'a\u0085b', 'a\u001bb', 'a\tb'])(
    'the header value %j is rejected',
    (value) => {
      expect([...headerProblems({ 'X-A': value }).keys()]).toEqual(['X-A']);
    },
  );

  it.each(['X A', 'X:A', 'X\r\nBcc', '', 'Ünicode', '1-A', 'X_A', '__proto__', 'X'.repeat(77)])(
    'the header name %j is rejected',
    (name) => {
      expect([...headerProblems(Object.fromEntries([[name, 'v']])).keys()]).toEqual([name]);
    },
  );

  it.each([
    'To',
    'cc',
    'BCC',
    'From',
    'Sender',
    'Reply-To',
    'Subject',
    'Message-Id',
    'Date',
    'MIME-Version',
    'Content-Type',
    'Content-Transfer-Encoding',
    'DKIM-Signature',
    'Return-Path',
    'Resent-To',
    'X-Service-Send-Id',
  ])('the header %s cannot be replaced', (name) => {
    expect(headerProblems({ [name]: 'v' }).size).toBe(1);
  });

  it('a header repeated in different case is rejected', () => {
    expect([...headerProblems({ 'X-A': '1', 'x-a': '2' }).keys()]).toEqual(['x-a']);
  });

  it('a header line has at most 998 octets', () => {
    expect(headerProblems({ 'X-A': 'v'.repeat(993) }).size).toBe(0);
    expect(headerProblems({ 'X-A': 'v'.repeat(994) }).size).toBe(1);
    expect(headerProblems({ 'X-A': 'ü'.repeat(497) }).size).toBe(1);
  });
});

describe('custom headers of a send and a workflow step', () => {
  const mail = { subject: 's', text: 't' };
  const refusedBy = (read: () => unknown): string[] => {
    try {
      read();
      return [];
    } catch (error) {
      if (!isBeckonError(error, 'VALIDATION_ERROR')) throw error;
      const { details } = error;
      return Object.keys(details !== undefined && 'fieldErrors' in details ? (details.fieldErrors ?? {}) : {});
    }
  };
  const send = (headers: unknown): string[] =>
    refusedBy(() => parseEmailSend({ ...mail, to: 'ann@example.com', headers }));
  const step = (headers: unknown): string[] =>
    refusedBy(() =>
      parseBundle(
        bundleWith([workflowOf({ steps: [{ type: 'send_email', config: { ...mail, headers: headers as never } }] })]),
      ),
    ).map((path) => path.replace('workflows.0.steps.0.config.', ''));
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`X-A${at}`, 'v']));

  it.each<[string, unknown, string[]]>([
    ['headers of a caller', { 'X-A': 'ü {{trait.x}}', 'Auto-Submitted': 'auto-generated' }, []],
    ['an empty value', { 'X-A': '' }, []],
    ['the maximum number', many(20), []],
    ['one too many', many(21), ['headers']],
    ['a header of the envelope', { Bcc: 'eve@example.com' }, ['headers.Bcc']],
    ['a header of the body', { 'Content-Type': 'text/plain' }, ['headers.Content-Type']],
    ['a header of the service', { 'X-Service-Send-Id': '1' }, ['headers.X-Service-Send-Id']],
    ['a way to unsubscribe', { 'List-Unsubscribe': '<https://x.test>' }, []],
    ['a value with a tab', { 'X-A': 'a\tb' }, ['headers.X-A']],
    ['a name with an underscore', { X_A: 'v' }, ['headers.X_A']],
    ['a name that begins with a digit', { '1-A': 'v' }, ['headers.1-A']],
    ['a name of 77 characters', { ['X'.repeat(77)]: 'v' }, [`headers.${'X'.repeat(77)}`]],
    ['a name given twice', { 'X-A': '1', 'x-a': '2' }, ['headers.x-a']],
    ['a value of two lines', { 'X-A': 'a\r\nBcc: eve@example.com' }, ['headers.X-A']],
    ['a value with a control character', { 'X-A': 'a\u001bb' }, ['headers.X-A']],
    ['a line of 999 octets', { 'X-A': 'v'.repeat(994) }, ['headers.X-A']],
    ['a value that is no text', { 'X-A': 1 }, ['headers.X-A']],
  ])('a send and a workflow step treat %s alike', (_, headers, refused) => {
    expect({ send: send(headers), step: step(headers) }).toEqual({ send: refused, step: refused });
  });
});
