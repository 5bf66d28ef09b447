import { describe, expect, it } from 'vitest';
import { readForm } from './form.ts';

const read = (body: string, type: string) => {
  const bytes = new TextEncoder().encode(body);
  const view = {
    ...{ method: 'POST', path: '/x', query: '', address: () => undefined },
    header: (name: string) => (name === 'content-type' ? type : undefined),
    readBody: async () => bytes,
  };
  return readForm(view, 65_536, 1_000);
};
const parts = (count: number): string =>
  `${'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n'.repeat(count)}--b--\r\n`;

describe('a form', () => {
  it('a form with as many fields as a page of categories has is read, in both encodings', async () => {
    const fields = Array.from({ length: 900 }, (_, at) => `a=${at}`).join('&');
    expect((await read(fields, 'application/x-www-form-urlencoded')).getAll('a')).toHaveLength(900);
    expect((await read(parts(900), 'multipart/form-data; boundary=b')).getAll('a')).toHaveLength(900);
  });

  it('a form with more than 1,000 fields is not parsed and counts as empty', async () => {
    const asking = 'List-Unsubscribe=One-Click&';
    expect((await read(`${asking}${'a&'.repeat(30_000)}`, 'application/x-www-form-urlencoded')).size).toBe(0);
    expect((await read(parts(1_001), 'multipart/form-data; boundary=b')).size).toBe(0);
    expect((await read(asking, 'application/x-www-form-urlencoded')).get('List-Unsubscribe')).toBe('One-Click');
  });
});
