import { describe, expect, it } from 'vitest';
import { attachments, decodedBytes, MAX_ATTACHED_BYTES } from './attachments.ts';

const base64 = (bytes: number): string => Buffer.alloc(bytes, 7).toString('base64');
const file = { filename: 'Rechnung März.pdf', contentType: 'application/pdf', content: base64(10) };
const problems = (...files: readonly unknown[]): string[] =>
  (attachments.safeParse(files).error?.issues ?? []).map(({ path }) => path.join('.'));

describe('email attachments', () => {
  it('attachments are kept unchanged, with the content id that the HTML uses', () => {
    expect(attachments.parse([file, { ...file, cid: 'logo@shop', colour: 'red' }])).toEqual([
      { ...file, cid: null },
      { ...file, cid: 'logo@shop' },
    ]);
  });

  it.each([
    ['filename', ['', 'a/b.pdf', 'a\\b.pdf', 'a\r\nBcc: eve@example.com', 'a\tb', 'x'.repeat(256), 7]],
    [
      'contentType',
      ['pdf', 'text/html; charset=x', 'text/html\r\nX: y', 'a/b/c', '/', '', 'message/rfc822', 'Multipart/mixed'],
    ],
    ['content', ['', 'a', '====', 'aGk', 'aGk=\n', 'a-k_', 'aG k']],
    ['cid', ['<logo>', 'a b', '', 'a\r\nb']],
  ])('an attachment with a bad %s is rejected', (field, values) => {
    for (const value of values) expect(problems(file, { ...file, [field]: value })).toEqual([`1.${field}`]);
  });

  it('attachments have at most 700 KB together, counted decoded', () => {
    const half = base64(MAX_ATTACHED_BYTES / 2);
    expect(problems({ ...file, content: half }, { ...file, content: half })).toEqual([]);
    expect(problems({ ...file, content: half }, { ...file, content: base64(MAX_ATTACHED_BYTES / 2 + 1) })).toEqual([
      '',
    ]);
    expect(problems(...Array.from({ length: 21 }, () => file))).toEqual(['']);
  });

  it('attachment sizes are computed without decoding', () => {
    for (const bytes of [1, 2, 3, 4, 1_000]) expect(decodedBytes(base64(bytes))).toBe(bytes);
  });
});
