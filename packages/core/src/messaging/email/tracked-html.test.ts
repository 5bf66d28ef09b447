import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { growthOf, LINEAR } from '../../../test/support/growth.ts';
import { compileTemplate } from '../templates/compile.ts';
import { renderMarked } from '../templates/render.ts';
import { loadHtml } from './html-tags.ts';
import { MAX_LINKS, MAX_URL_CHARACTERS, trackedHtml as trackedMarked } from './tracked-html.ts';

beforeAll(loadHtml);

const trackedHtml = (text: string, how: Parameters<typeof trackedMarked>[1]): string =>
  trackedMarked({ text, values: [] }, how);

const PIXEL = 'https://t.test/o/1?a&b';
const IMAGE = '<img src="https://t.test/o/1?a&amp;b" width="1" height="1" alt="" style="display:block;border:0">';

/** The HTML with every rewritten link as `to(...)`, and the links. */
const rewrite = (html: string) => {
  const links: string[] = [];
  const link = (url: string): string => {
    links.push(url);
    return 'T';
  };
  return { html: trackedHtml(html, { link, pixel: null }), links };
};
const linksOf = (html: string): string[] => rewrite(html).links;

describe('tracked links', () => {
  it('links are rewritten and nothing else changes', () => {
    const html = `<!doctype html>\r\n<p CLASS='x'>\u00fc &amp; <A Class=b HREF='http://a.test/' id=1>a</A>\u{1f600}
<a href=https://b.test/c>b</a><a\nhref = "http://c.test/">c</a></p>`;
    expect(rewrite(html)).toEqual({
      html: `<!doctype html>\r\n<p CLASS='x'>\u00fc &amp; <A Class=b HREF="T" id=1>a</A>\u{1f600}
<a href="T">b</a><a\nhref = "T">c</a></p>`,
      links: ['http://a.test/', 'https://b.test/c', 'http://c.test/'],
    });
  });

  it.each([
    ['&amp;', 'https://a.test/?b=1&amp;c=2', 'https://a.test/?b=1&c=2'],
    ['numbers', 'https://a.test/?b=&#39;&#x3D;&#96;', 'https://a.test/?b=%27=`'],
    ['quotes', 'https://a.test/&quot;&lt;&gt;&apos;', "https://a.test/%22%3C%3E'"],
    ['an ampersand that is one', 'https://a.test/?b=1&copy=2&c&d', 'https://a.test/?b=1&copy=2&c&d'],
    ['spaces around', ' \n https://a.test/ ', 'https://a.test/'],
    [
      'letters beyond ASCII',
      'https://b\u00fccher.test/\u00fc?q=\u20ac#\u00e9',
      'https://xn--bcher-kva.test/%C3%BC?q=%E2%82%AC#%C3%A9',
    ],
    ['numbers without their semicolons', 'https://a.test/&#98&#x63;&#0000000100', 'https://a.test/bcd'],
    ['a colon and slashes by name', 'https&colon;&sol;&sol;a.test&sol;b', 'https://a.test/b'],
    ['letters by name', 'https://a.test/&eacute;&NotEqualTilde;', 'https://a.test/%C3%A9%E2%89%82%CC%B8'],
    ['a name that stands for nothing', 'https://a.test/&constructor;&x;', 'https://a.test/&constructor;&x;'],
    ['numbers beyond Unicode', 'https://a.test/&#x110000;', 'https://a.test/%EF%BF%BD'],
    ['a fragment and a port', 'http://A.test:8080/x/../y#z', 'http://a.test:8080/y#z'],
  ])('links are read as browsers read %s', (_, href, url) => {
    expect(linksOf(`<a href="${href}">x</a>`)).toEqual([url]);
  });

  it.each([
    ['mail', 'mailto:ann@example.com'],
    ['a call', 'tel:+14155550123'],
    ['an anchor', '#top'],
    ['a path', '/help'],
    ['another scheme', 'ftp://a.test/'],
    ['a script', 'javascript:fetch("https://a.test")'],
    ['data', 'data:text/html,https://a.test/'],
    ['no scheme', '//a.test/'],
    ['nothing', ''],
    ['an unresolved variable', 'https://a.test/{{trait.id}}'],
    ['no host', 'https://'],
    ['more than 2,048 characters', `https://a.test/${'x'.repeat(MAX_URL_CHARACTERS)}`],
  ])('links to %s are not rewritten', (_, href) => {
    const html = `<p><a href="${href.replaceAll('"', "'")}">x</a></p>`;
    expect(rewrite(html)).toEqual({ html, links: [] });
  });

  it('links of up to 2,048 characters are rewritten', () => {
    const longest = `https://a.test/${'x'.repeat(MAX_URL_CHARACTERS - 15)}`;
    expect(linksOf(`<a href="${longest}">`)).toEqual([longest]);
  });

  it.each([
    ['asks for it', '<a href="http://a.test/" DATA-BECKON-TRACK=Off>'],
    ['has no href', '<a name="http://a.test/">'],
    ['is not of a', '<area href="http://a.test/"><link href="http://a.test/"><form action="http://a.test/">'],
    ['is in a comment', '<!-- <a href="http://a.test/"> -->'],
    ['is in a script', '<script>"<a href=\'http://a.test/\'>"</script>'],
    ['is in a value', '<img alt="<a href=http://a.test/>">'],
    ['is broken', '<a href="http://a.test/'],
    ['is the second href', '<a href="#" href="http://a.test/">'],
  ])('a link whose tag %s is not rewritten', (_, html) => {
    expect(rewrite(html)).toEqual({ html, links: [] });
  });

  it('links are not rewritten if the callback declines or clicks are not tracked', () => {
    const html = '<a href="http://a.test/">x</a>';
    expect(trackedHtml(html, { link: () => null, pixel: null })).toBe(html);
    expect(trackedHtml(html, { link: null, pixel: null })).toBe(html);
  });

  it('a rewritten URL cannot break out of its attribute', () => {
    expect(trackedHtml('<a href=http://a.test/>', { link: () => '"><script>&', pixel: null })).toBe(
      '<a href="&quot;&gt;&lt;script&gt;&amp;">',
    );
  });

  it('at most two hundred links of an email are rewritten', () => {
    const { html, links } = rewrite('<a href="http://a.test/">'.repeat(MAX_LINKS + 1));
    expect(links).toHaveLength(MAX_LINKS);
    expect(html.endsWith('<a href="T"><a href="http://a.test/">')).toBe(true);
  });
});

describe('tracked links with values', () => {
  const track = (template: string, trait: Record<string, string>, isEscaped = true) => {
    const marked = renderMarked(compileTemplate(template), { trait }, { escapeHtml: isEscaped });
    const links: string[] = [];
    const link = (url: string): string => {
      links.push(url);
      return 'T';
    };
    return { marked, html: trackedMarked(marked, { link, pixel: null }), links };
  };

  it.each([
    ['a path', 'https://shop.test/{{trait.x}}', 'p', 'https://shop.test/p'],
    ['a query', 'https://shop.test?q={{trait.x}}', 'p&q', 'https://shop.test/?q=p&q'],
    ['a fragment', 'https://shop.test#{{trait.x}}', 'https://evil.test', 'https://shop.test/#https://evil.test'],
    ['a path that climbs', 'https://shop.test/{{trait.x}}', '../..//evil.test', 'https://shop.test//evil.test'],
    ['two values', 'https://shop.test/{{trait.x}}/{{trait.x}}', 'p', 'https://shop.test/p/p'],
    ['a slash by number', 'https://shop.test&#47;{{trait.x}}', 'p', 'https://shop.test/p'],
    ['one slash too few', ' https:/shop.test/{{trait.x}}', 'p', 'https://shop.test/p'],
    ['a backslash', 'https:\\\\shop.test\\{{trait.x}}', 'p', 'https://shop.test/p'],
  ])('links are tracked if the template has the host and a value is %s', (_, href, x, url) => {
    expect(track(`{{trait.x}}<a href="${href}">{{trait.x}}</a>`, { x }).links).toEqual([url]);
  });

  it.each([
    ['the whole URL', '{{trait.x}}', 'https://evil.test/'],
    ['the host', 'https://{{trait.x}}/p', 'evil.test'],
    ['a part of the host', 'https://{{trait.x}}.shop.test/', 'evil.test/'],
    ['the end of the host', 'https://shop{{trait.x}}.test/', 'evil'],
    ['what follows the host', 'https://shop.test{{trait.x}}', '.evil.test'],
    ['a user before another host', 'https://shop.test{{trait.x}}', '@evil.test'],
    ['a port', 'https://shop.test:{{trait.x}}/', '80@evil.test'],
    ['the scheme', '{{trait.x}}://shop.test/', 'https'],
    ['nothing before the URL', '{{trait.x}}https://shop.test/', ''],
    ['nothing behind the host', 'https://shop.test{{trait.x}}', ''],
    ['the slash of the host, by number', 'https://shop.test&#4{{trait.x}}/', '6;evil.test'],
    ['tabs that browsers pass over', 'https:/\t/{{trait.x}}/', 'evil.test'],
  ])('links are not tracked if a value is %s', (_, href, x) => {
    const { marked, html, links } = track(`<a href="${href}">x</a>`, { x });
    expect({ html, links }).toEqual({ html: marked.text, links: [] });
  });

  it('links inside raw values are not tracked, links beside them are', () => {
    const x = '<a href="https://evil.test/">x</a><a title="';
    const { html, links } = track('{{trait.x}}" href="https://shop.test/">y</a>', { x }, false);
    expect(links).toEqual(['https://shop.test/']);
    expect(html).toBe(`${x}" href="T">y</a>`);
  });

  it('the decision to track a link does not depend on its values', () => {
    const template = '<a href="https://a.test{{trait.x}}"><a href="https://b.test/{{trait.x}}">';
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 30 }), (x) => {
        for (const url of track(template, { x }).links) expect(new URL(url).host).toBe('b.test');
      }),
    );
  });
});

describe('the tracking pixel', () => {
  const shown = (html: string) => trackedHtml(html, { link: null, pixel: PIXEL });

  it.each([
    ['before the end of the body', '<html><BODY>Hi</BODY ></html>', `<html><BODY>Hi${IMAGE}</BODY ></html>`],
    ['before the last end', '<body>a</body>b</body>c', `<body>a</body>b${IMAGE}</body>c`],
    ['at the end where there is none', '<p>Hi</p>', `<p>Hi</p>${IMAGE}`],
    ['outside comments', '<p>Hi</p><!-- </body> -->', `<p>Hi</p><!-- </body> -->${IMAGE}`],
    ['before what never closes', '<p>Hi</p><a title="', `<p>Hi</p>${IMAGE}<a title="`],
  ])('the pixel is inserted %s', (_, html, expected) => {
    expect(shown(html)).toBe(expected);
  });

  it('the pixel can be inserted beside links before and after it', () => {
    const html = '<body><a href="http://a.test/">a</a></body><a href="http://b.test/">b</a>';
    expect(trackedHtml(html, { link: () => 'T', pixel: PIXEL })).toBe(
      `<body><a href="T">a</a>${IMAGE}</body><a href="T">b</a>`,
    );
  });
});

describe('tracked HTML', () => {
  it('restoring the links restores the original HTML', () => {
    const piece = fc.constantFrom(
      '<a href="http://a.test/">',
      "<a href='https://b.test/?x'>",
      'x',
      '<!--',
      '-->',
      '"',
      '>',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const html = pieces.join('');
        const same = trackedHtml(html, { link: (url) => url, pixel: null });
        expect(same.replaceAll("'", '"')).toBe(html.replaceAll("'", '"'));
      }),
    );
  });

  it.each(['<a <a <a', '<a href="', '<a href="http://a.test/?', '<a href=http://a.test/&'])(
    'rewriting 128 KB of %j takes linear time',
    (part) => {
      const make = (bytes: number): string => part.repeat(Math.ceil(bytes / part.length));
      expect(growthOf(make, (html) => trackedHtml(html, { link: () => 'T', pixel: PIXEL }), 8_192)).toBeLessThan(
        LINEAR,
      );
    },
  );
});
