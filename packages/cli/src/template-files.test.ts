import { describe, expect, it } from 'vitest';
import { filesOf, folderNameOf, isTemplateFile, templateOf } from './template-files.ts';

const back = (content: Readonly<Record<string, unknown>>, channel: string) => {
  const files = new Map(filesOf({ name: 'N', content }, channel));
  const json: unknown = JSON.parse(files.get('template.json') ?? '');
  files.delete('template.json');
  return { files: [...files.keys()].sort(), read: templateOf(json, files) };
};

describe('a template as files', () => {
  it.each([
    ['email', { subject: 's', html: '', text: 't\r\n' }, ['body.html', 'body.txt']],
    ['email', { subject: 's', bodyHtml: 'b' }, ['raw.html']],
    [
      'email',
      {
        subject: 's',
        html: 'h',
        localized: { 'pt-BR': { subject: 'S', html: 'H', text: 'T' }, raw: { html: 'R' }, 'a/b': { html: 'X' } },
      },
      ['body.html', 'body.pt-BR.html', 'body.pt-BR.txt', 'body.raw.html'],
    ],
    ['email', { text: 't', localized: { es_MX: { text: 'T' }, ES_mx: { text: 'U' } } }, ['body.es_MX.txt', 'body.txt']],
    ['push', { title: 't', body: 'b', data: { html: 'x' } }, []],
    ['sms', { body: 'b', localizedBody: { es: 'B' } }, []],
  ] as const)('a template of %s is written to files and read back: %j', (channel, content, names) => {
    expect(back(content, channel)).toEqual({ files: names, read: { name: 'N', content } });
  });

  it('the files of a template do not depend on key order', () => {
    const one = filesOf({ name: 'N', content: { title: 't', data: { a: 1, b: { c: 1, d: 2 } } } }, 'push');
    const other = filesOf({ name: 'N', content: { data: { b: { d: 2, c: 1 }, a: 1 }, title: 't' } }, 'push');
    expect([...one]).toEqual([...other]);
  });

  it('a template with a text in two files, or without a name, is rejected', () => {
    const problem = { problem: expect.any(String) };
    expect(templateOf({ name: 'N', html: 'x' }, new Map([['body.html', 'y']]))).toEqual(problem);
    const localized = { es: { text: 'x' } };
    expect(templateOf({ name: 'N', localized }, new Map([['body.es.txt', 'y']]))).toEqual(problem);
    for (const json of [null, [], {}, { name: '' }, { name: 7 }]) expect(templateOf(json, new Map())).toEqual(problem);
  });

  it('other files do not belong to a template', () => {
    for (const name of ['template.json', 'body.html', 'body.es.txt', 'raw.html'])
      expect(isTemplateFile(name)).toBe(true);
    for (const name of ['README.md', 'body.htm', 'logo.html', 'body.a.b.html', '.body.html'])
      expect(isTemplateFile(name)).toBe(false);
  });
});

describe('folderNameOf', () => {
  it.each([
    ['Order sent', 'order-sent'],
    ['../../etc/passwd', 'etc-passwd'],
    ['Größe 2', 'größe-2'],
    ['..', 'template'],
    ['a'.repeat(200), 'a'.repeat(60)],
  ])('the folder of template %j has a name that is valid on any system', (name, folder) => {
    expect(folderNameOf(name)).toBe(folder);
  });
});
