import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { growthOf, LINEAR } from '../../../test/support/growth.ts';
import { loadHtml, tagsOf } from './html-tags.ts';

beforeAll(loadHtml);

const NAMES = new Set(['a', 'body']);
const found = (html: string) => tagsOf(html, NAMES).tags.map(({ name, isEnd }) => (isEnd ? `/${name}` : name));
const attributes = (html: string) =>
  tagsOf(html, NAMES).tags.flatMap((tag) => tag.attributes.map(({ name, text }) => [name, text]));

describe('tagsOf', () => {
  it.each([
    ['any case and white space', '<A\n HREF = "x"\t>y</A ><BODY></body/>', ['a', '/a', 'body', '/body']],
    ['a longer name', '<abbr><a-b><address>', []],
    ['a quoted value', '<p title="<a>"><p title=\'"<a>\'><a>', ['a']],
    ['a comment', '<!-- <a> --><!--> <a> --><!---><a>', ['a', 'a']],
    ['what only one client reads', '<!--[if mso]><a><![endif]--><![if !mso]><a><![endif]>', ['a']],
    ['declarations and stray marks', '<!doctype html><?xml <a> ?><a></ <a>< a><1><a><>', ['a', 'a']],
    ['scripts and styles', '<style>p::after{content:"<a>"}</style ><script>"</scripts><a>"</SCRIPT><a>', ['a']],
    ['comments of any end', '<!-- <a> --!><a><!----><a><!----!><a><!-- -- > <a> -->', ['a', 'a', 'a']],
    [
      'hidden and shown conditions of Outlook',
      '<!--[if mso]><a>x</a><![endif]--><!--[if !mso]><!--><a><!--<![endif]-->',
      ['a'],
    ],
    ['a CDATA section', '<![CDATA[ <a> > <a> ]]><a>', ['a']],
    ['values without quotes', '<a href=x/><p title=<a><a title=a"b\'c>', ['a', 'a']],
    ['an end tag that never closes', '<a></a', ['a']],
    ['elements whose text is raw', '<iframe><a></iframe><xmp><a></xmp><noembed><a></noembed><a><plaintext><a>', ['a']],
    ['a title', '<title><a></title><textarea><body></textarea><a>', ['a']],
  ])('tagsOf finds the tags that a browser finds in %s', (_, html, names) => {
    expect(found(html)).toEqual(names);
  });

  it('attribute values are found with and without quotes, with positions', () => {
    const html = `<a x y= href=http://a.test/?b=c/ id='1"' data-x = "2'" href="">`;
    expect(attributes(html)).toEqual([
      ['y', 'href=http://a.test/?b=c/'],
      ['id', '1"'],
      ['data-x', "2'"],
      ['href', ''],
    ]);
    const [tag] = tagsOf(html, NAMES).tags;
    expect(tag?.attributes.map(({ start, end }) => html.slice(start, end))).toEqual([
      'href=http://a.test/?b=c/',
      `'1"'`,
      `"2'"`,
      '""',
    ]);
  });

  it.each([
    ['a tag', '<p>Hi</p><a href="x', 9],
    ['a comment', '<p>Hi</p><!-- <a>', 9],
    ['a declaration', '<p>Hi</p><!doctype', 9],
    ['a style', '<p>Hi</p><style>p{}<a>', 9],
    ['an end tag', '<p>Hi</p></body', 9],
    ['a title', '<p>Hi</p><title>x</body>', 9],
    ['a CDATA section', '<p>Hi</p><![CDATA[ <a> >', 9],
    ['nothing', '<p>Hi</p> < 2', 13],
  ])('markup ends before %s that never closes', (_, html, end) => {
    expect(tagsOf(html, NAMES)).toEqual({ tags: [], end, firstText: 3 });
  });

  it.each([
    ['<!doctype html> <title>a</title>\n<style>b</style><!-- c --> d', 60],
    ['\ufeff \n', undefined],
    ['&nbsp;', 0],
  ])('the first visible text of %j is found', (html, firstText) => {
    expect(tagsOf(html, null).firstText).toBe(firstText);
  });

  it('parsing stops after the tag for which isLast is true', () => {
    const { tags } = tagsOf('<body><a><body>', NAMES, ({ name }) => name === 'a');
    expect(tags.map(({ name, start, end }) => [name, start, end])).toEqual([
      ['body', 0, 6],
      ['a', 6, 9],
    ]);
  });

  it('tags and values are at the reported positions in any text', () => {
    const piece = fc.constantFrom('<', '>', 'a', '/', '"', "'", '=', ' ', '!', '-', '--', 'style', 'href', 'x', '\n');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const html = pieces.join('');
        const { tags, end } = tagsOf(html, NAMES);
        let at = 0;
        for (const tag of tags) {
          expect(
            html
              .slice(tag.start)
              .toLowerCase()
              .startsWith(`<${tag.isEnd ? '/' : ''}${tag.name}`),
          ).toBe(true);
          expect(tag.start).toBeGreaterThanOrEqual(at);
          expect(html[tag.end - 1]).toBe('>');
          at = tag.start;
          for (const { text, start, end: valueEnd } of tag.attributes) {
            expect(start).toBeGreaterThan(at);
            expect(['', '"', "'"].map((quote) => quote + text + quote)).toContain(html.slice(start, valueEnd));
            at = valueEnd;
          }
        }
        expect(end).toBeGreaterThanOrEqual(at);
        expect(end).toBeLessThanOrEqual(html.length);
      }),
    );
  });

  it.each([
    '<a ',
    '<a',
    '<a href="',
    "<a x='",
    '<a =',
    '<a  ',
    '<!--',
    '<!',
    '</',
    '<style>',
    '<style></script>',
    '< ',
  ])('parsing time grows linearly with repetitions of %j', (part) => {
    const make = (bytes: number): string => part.repeat(Math.ceil(bytes / part.length));
    expect(growthOf(make, (html) => tagsOf(html, NAMES), 65_536)).toBeLessThan(LINEAR);
  });
});
