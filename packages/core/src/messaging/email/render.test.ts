import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { compileTemplate } from '../templates/compile.ts';
import { loadHtml } from './html-tags.ts';
import { emailRenderer } from './render.ts';
import type { EmailContent } from './schema.ts';

beforeAll(loadHtml);

const input = {
  messageId: 'm-1',
  sendId: 's-1',
  to: { email: 'ann@example.com', name: 'Ann' },
  defaultFrom: { email: 'sender@sandbox.invalid', name: null },
  scopes: { trait: { name: '<b>"Ann"</b>', blank: ' ' }, user: { userId: 'u1' } },
};

const rendered = (content: EmailContent, scopes = input.scopes as Record<string, Record<string, unknown>>) => {
  const result = emailRenderer()(content, { ...input, scopes });
  if (!result.ok) throw new Error(result.reason);
  return result.message;
};

describe('emailRenderer', () => {
  it('values are escaped in html and nowhere else', () => {
    const name = '{{trait.name}}';
    expect(rendered({ subject: name, text: name, html: `<p title="${name}">${name}</p>` })).toMatchObject({
      subject: '<b>"Ann"</b>',
      text: '<b>"Ann"</b>',
      html: '<p title="&lt;b&gt;&quot;Ann&quot;&lt;/b&gt;">&lt;b&gt;&quot;Ann&quot;&lt;/b&gt;</p>',
    });
    expect(rendered({ subject: 's', bodyHtml: `<p>${name}</p>` }).html).toBe('<p><b>"Ann"</b></p>');
  });

  it('an email has its sender, its recipient and a stable message id', () => {
    const message = rendered({ subject: 's', text: 't' });
    expect(message).toMatchObject({
      messageId: 'm-1',
      sendId: 's-1',
      envelope: { from: 'sender@sandbox.invalid', to: 'ann@example.com' },
      from: { email: 'sender@sandbox.invalid' },
      to: { email: 'ann@example.com', name: 'Ann' },
      replyTo: null,
      headers: { 'Message-ID': '<m-1@sandbox.invalid>', 'X-Service-Send-Id': 's-1' },
    });
    const from = { email: 'news@acme.test', name: 'Acme' };
    expect(rendered({ subject: 's', text: 't', from, headers: { 'X-A': '1' } })).toMatchObject({
      envelope: { from: 'news@acme.test' },
      from,
      headers: { 'X-A': '1', 'Message-ID': '<m-1@acme.test>' },
    });
  });

  it('with a bounce domain an email has its own return path and keeps its sender', () => {
    const result = emailRenderer()({ subject: 's', text: 't' }, { ...input, bounceDomain: 'bounces.acme.test' });
    expect(result).toMatchObject({
      message: { envelope: { from: 'b+m-1@bounces.acme.test' }, from: { email: 'sender@sandbox.invalid' } },
    });
  });

  it('templates in custom headers are not rendered', () => {
    expect(rendered({ subject: 's', text: 't', headers: { 'X-A': '{{trait.name}}' } }).headers).toMatchObject({
      'X-A': '{{trait.name}}',
    });
  });

  it('the subject is one line, whatever a value contains', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        const { subject } = rendered({ subject: 'Hi {{trait.x}}!', text: 't' }, { trait: { x: value } });
        expect(subject).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
        expect(subject.isWellFormed()).toBe(true);
      }),
    );
    const { subject } = rendered(
      { subject: 'Hi {{trait.x}}!', text: 't' },
      { trait: { x: 'Ann\r\nBcc: eve@example.com\u2028x' } },
    );
    expect(subject).toBe('Hi Ann Bcc: eve@example.com x!');
  });

  it('a subject that a value makes too long is cut', () => {
    const { subject } = rendered({ subject: '{{trait.x}}', text: 't' }, { trait: { x: 'x'.repeat(10_000) } });
    expect(subject).toHaveLength(998);
  });

  it('placeholders inside values are not rendered', () => {
    expect(rendered({ subject: '{{trait.x}}', text: 't' }, { trait: { x: '{{user.userId}}' } }).subject).toBe(
      '{{user.userId}}',
    );
  });

  it.each([
    ['a script', 'javascript:alert(1)'],
    ['a script in disguise', ' \u0001Java\tScr\nipt:alert(1)'],
    ['a document', 'data:text/html,<script>alert(1)</script>'],
    ['a script of old', 'vbscript:x'],
    ['a file', 'file:///etc/passwd'],
    ['any other', 'web+x.y-z:1'],
  ])('a value with %s is removed from a link', (_, x) => {
    const html = `<a href="{{trait.x}}">a</a><IMG SRC='{{trait.x}}'><a href= {{trait.y}} >b</a><p title="{{trait.y}}">`;
    const y = x.replace(/\s/g, '');
    expect(rendered({ subject: 's', html }, { trait: { x, y } }).html).toMatch(
      /^<a href="">a<\/a><IMG SRC=""><a href= "" >b<\/a><p title="[^"]+">$/,
    );
  });

  it('a script URL from two values, or from a value and the text after it, is removed', () => {
    const html =
      '<a href="{{trait.a}}{{trait.b}}">a</a><a href="{{trait.a}}script:x">b</a><a href="{{trait.c}}:x">c</a>';
    const scopes = { trait: { a: 'java', b: 'script:x', c: 'javascript' } };
    expect(rendered({ subject: 's', html }, scopes).html).toBe('<a href="">a</a><a href="">b</a><a href="">c</a>');
  });

  it.each([
    ['a colon by name', '<a href="{{trait.x}}&colon;alert(1)">'],
    ['a tab by name', '<a href="{{trait.x}}&Tab;:alert(1)">'],
    ['a line break by name', '<a href="&NewLine;{{trait.x}}&#58alert(1)">'],
    ['the data of an object', '<object data="{{trait.x}}:alert(1)">'],
    ['a poster', '<video poster="{{trait.x}}:alert(1)">'],
  ])('a script URL hidden by %s is removed', (_, html) => {
    const blanked = rendered({ subject: 's', html }, { trait: { x: 'javascript' } }).html;
    expect(blanked).toBe(html.replace(/".*"/, '""'));
  });

  it.each([
    ['0;url={{trait.x}}', 'javascript:alert(1)'],
    ['0; URL = &quot;{{trait.x}}', 'javascript:alert(1)'],
    ['{{trait.x}}', '0;data:text/html,x'],
    ['5 {{trait.x}}', "url='vbscript:x"],
  ])('a script URL in the refresh %j is removed', (content, x) => {
    const html = (http: string) => `<meta http-equiv="${http}" content="${content}">`;
    const shown = (http: string) => rendered({ subject: 's', html: html(http) }, { trait: { x } }).html;
    for (const http of ['refresh', 'Refresh', 'r&#101;fresh'])
      expect(shown(http)).toBe(`<meta http-equiv="${http}" content="">`);
    expect(shown('x-ua-compatible')).not.toContain('content=""');
  });

  it('a refresh to a web URL, and `data` attributes of other elements, are kept', () => {
    const html = '<meta http-equiv="refresh" content="0;url={{trait.x}}"><p data="{{trait.y}}">';
    const scopes = { trait: { x: 'https://a.test/', y: 'a:b' } };
    expect(rendered({ subject: 's', html }, scopes).html).toBe(
      '<meta http-equiv="refresh" content="0;url=https://a.test/"><p data="a:b">',
    );
  });

  it.each(['https://shop.test/?a:b', 'http://x', 'HTTPS://x', 'mailto:ann@example.com', 'tel:+1', '/path:1', '#a', ''])(
    'the URL %j of a value is kept',
    (x) => {
      const html = rendered({ subject: 's', html: '<a href="{{trait.x}}">a:</a>' }, { trait: { x } }).html;
      expect(html).toBe(`<a href="${x}">a:</a>`);
    },
  );

  it('schemes in the template and in bodyHtml are kept', () => {
    const href = '<a href="sms:{{trait.x}}">a</a><img src="cid:{{trait.x}}"><a href="javascript:x">{{trait.x}}</a>';
    const scopes = { trait: { x: 'x:y' } };
    const shown = href.replaceAll('{{trait.x}}', 'x:y');
    expect(rendered({ subject: 's', html: href }, scopes).html).toBe(shown);
    expect(rendered({ subject: 's', bodyHtml: '<a href="{{trait.x}}">' }, scopes).html).toBe('<a href="x:y">');
  });

  it('the preheader is hidden at the start of the HTML body', () => {
    const hidden = '<div style="display:none;max-height:0;overflow:hidden">A &lt;b&gt; &amp;</div>';
    const preheader = 'A {{trait.x}} &';
    const scopes = { trait: { x: '<b>' } };
    const page = '<html><BODY class="a"><p>Hi</p></body></html>';
    expect(rendered({ subject: 's', html: page, preheader }, scopes).html).toBe(
      `<html><BODY class="a">${hidden}<p>Hi</p></body></html>`,
    );
    expect(rendered({ subject: 's', html: '<p>Hi</p>', preheader }, scopes).html).toBe(`${hidden}<p>Hi</p>`);
    expect(rendered({ subject: 's', text: 'Hi', preheader }, scopes)).toMatchObject({ text: 'Hi', html: null });
  });

  it.each([
    ['behind the doctype', '<!doctype html>', '<p>Hi'],
    ['behind a head that ends', '<!DOCTYPE html>\n<html><head><title>Hi</title></head>\n', '<p>Hi'],
    [
      'behind what belongs to a head',
      '<!doctype html><meta charset="utf-8"><title>a<b</title><style>p{}</style> ',
      'Hi',
    ],
    ['before a text', '<!doctype html><title>x</title> ', 'Hi <body>'],
    ['behind comments', '<!doctype html><!-- <p> --> ', '<p>'],
    ['at the end of a mail without content', '<!doctype html><html><head></head> ', ''],
    ['at the beginning of a text', '', 'Hi'],
  ])('without a body tag the preheader is inserted %s', (_, before, content) => {
    const hidden = '<div style="display:none;max-height:0;overflow:hidden">P</div>';
    expect(rendered({ subject: 's', html: before + content, preheader: 'P' }).html).toBe(before + hidden + content);
  });

  it.each([
    ['an attribute of the body', '<body data-x="a>b">'],
    ['a comment for Outlook', '<!--[if mso]><body class="mso"><![endif]--><!--[if !mso]><!--><body><!--<![endif]-->'],
    ['a comment for others', '<html><head></head><![if !mso]><body class="x"><![endif]>'],
  ])('the body tag is found despite %s', (_, head) => {
    const hidden = '<div style="display:none;max-height:0;overflow:hidden">P</div>';
    const html = `<!doctype html>${head}<p>Hi</p></body>`;
    const at = html.indexOf('>', html.lastIndexOf('<body')) + (head.includes('a>b') ? 4 : 1);
    expect(rendered({ subject: 's', html, preheader: 'P' }).html).toBe(html.slice(0, at) + hidden + html.slice(at));
  });

  it.each([
    ['a comment', '<!-- <body> --><body>'],
    ['a style', '<style>/* <body> */</style><body>'],
    ['a quoted value', '<html title="<body>"><body title=">">'],
  ])('a body tag in %s is ignored', (_, head) => {
    const hidden = '<div style="display:none;max-height:0;overflow:hidden">P</div>';
    expect(rendered({ subject: 's', html: `${head}Hi</body>`, preheader: 'P' }).html).toBe(`${head}${hidden}Hi</body>`);
  });

  it('tracking gets the final HTML with the positions of values', () => {
    const tracking = { opens: true, clicks: true, baseUrl: 'https://beckon.test/api/v1' };
    const tracked = { scopeId: 1, sendId: 's-1', messageId: 'm-1' } as const;
    const calls: [string, unknown, unknown][] = [];
    const marks: string[][] = [];
    const render = emailRenderer(undefined, ({ text, values }, how, mail) => {
      calls.push([text, how, mail]);
      marks.push(values.map(({ start, end }) => text.slice(start, end)));
      return 'tracked';
    });
    const content = { subject: 's', text: 't', html: '<a href="{{trait.x}}">', preheader: 'P', tracking };
    const renderInput = { ...input, scopes: { trait: { x: 'https://shop.test/?a&b' } }, tracked };
    expect(render(content, renderInput)).toMatchObject({ message: { text: 't', html: 'tracked' } });
    const hidden = '<div style="display:none;max-height:0;overflow:hidden">P</div>';
    expect(calls).toEqual([[`${hidden}<a href="https://shop.test/?a&amp;b">`, tracking, tracked]]);
    expect(render({ ...content, html: '' }, renderInput)).toMatchObject({ message: { html: null } });
    expect(render(content, { ...renderInput, tracked: null })).toMatchObject({ message: { html: calls[0]?.[0] } });
    const { tracking: _, ...untracked } = content;
    expect(render(untracked, renderInput)).toMatchObject({ message: { html: calls[0]?.[0] } });
    expect(calls).toHaveLength(1);
    expect(marks).toEqual([['https://shop.test/?a&amp;b']]);
  });

  it('every body that is not blank is sent', () => {
    expect(rendered({ subject: 's', text: '{{trait.gone}}', html: '<p></p>' })).toMatchObject({
      text: null,
      html: '<p></p>',
    });
  });

  it('an email whose bodies are all blank is not sent', () => {
    const render = emailRenderer();
    for (const content of [{ text: '{{trait.blank}}' }, { html: '', text: ' \n' }, { bodyHtml: '{{trait.gone}}' }])
      expect(render({ subject: 's', preheader: 'p', ...content }, input)).toEqual({ ok: false, reason: 'empty_body' });
  });

  it('an email with a too large text is not sent', () => {
    const scopes = { trait: { x: 'x'.repeat(600_000) } };
    for (const field of ['text', 'html', 'bodyHtml'])
      expect(emailRenderer()({ subject: 's', [field]: '{{trait.x}}{{trait.x}}' }, { ...input, scopes })).toEqual({
        ok: false,
        reason: 'too_large',
      });
  });

  it('bodies of up to a megabyte are sent', () => {
    const most = 'x'.repeat(1_048_575);
    for (const field of ['text', 'html', 'bodyHtml'])
      expect(rendered({ subject: 's', [field]: `{{trait.a}}${most}` }, { trait: { a: 'a' } })).toMatchObject({
        [field === 'text' ? 'text' : 'html']: `a${most}`,
      });
  });

  it('each text is compiled once', () => {
    const compiled: string[] = [];
    const known = new Map<string, ReturnType<typeof compileTemplate>>();
    const render = emailRenderer((text) => {
      const template = known.get(text) ?? compileTemplate(text);
      if (!known.has(text)) compiled.push(text);
      known.set(text, template);
      return template;
    });
    for (let at = 0; at < 3; at += 1) render({ subject: 's', text: 't', html: 'h' }, input);
    expect(compiled.sort()).toEqual(['h', 's', 't']);
  });
});
