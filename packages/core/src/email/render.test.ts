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

describe('rendering a mail', () => {
  it('escapes values in html and nowhere else', () => {
    const name = '{{trait.name}}';
    expect(rendered({ subject: name, text: name, html: `<p title="${name}">${name}</p>` })).toMatchObject({
      subject: '<b>"Ann"</b>',
      text: '<b>"Ann"</b>',
      html: '<p title="&lt;b&gt;&quot;Ann&quot;&lt;/b&gt;">&lt;b&gt;&quot;Ann&quot;&lt;/b&gt;</p>',
    });
    expect(rendered({ subject: 's', bodyHtml: `<p>${name}</p>` }).html).toBe('<p><b>"Ann"</b></p>');
  });

  it('gives the sender, the recipient and an id that stays the same', () => {
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

  it('leaves templates in headers of a caller alone', () => {
    expect(rendered({ subject: 's', text: 't', headers: { 'X-A': '{{trait.name}}' } }).headers).toMatchObject({
      'X-A': '{{trait.name}}',
    });
  });

  it('keeps the subject on one line whatever a value holds', () => {
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

  it('cuts a subject that a value makes endless', () => {
    const { subject } = rendered({ subject: '{{trait.x}}', text: 't' }, { trait: { x: 'x'.repeat(10_000) } });
    expect(subject).toHaveLength(998);
  });

  it('does not scan values for placeholders', () => {
    expect(rendered({ subject: '{{trait.x}}', text: 't' }, { trait: { x: '{{user.userId}}' } }).subject).toBe(
      '{{user.userId}}',
    );
  });

  it('hides the preheader at the beginning of the HTML body', () => {
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
    ['a comment', '<!-- <body> --><body>'],
    ['a style', '<style>/* <body> */</style><body>'],
    ['a quoted value', '<html title="<body>"><body title=">">'],
  ])('takes no body in %s for the one of the mail', (_, head) => {
    const hidden = '<div style="display:none;max-height:0;overflow:hidden">P</div>';
    expect(rendered({ subject: 's', html: `${head}Hi</body>`, preheader: 'P' }).html).toBe(`${head}${hidden}Hi</body>`);
  });

  it('tracks the HTML as it is sent, links in values among it, and nothing else', () => {
    const tracking = { opens: true, clicks: true, baseUrl: 'https://beckon.test/api/v1' };
    const tracked = { scopeId: 1, sendId: 's-1', messageId: 'm-1' } as const;
    const asked: [string, unknown, unknown][] = [];
    const render = emailRenderer(undefined, (html, how, mail) => {
      asked.push([html, how, mail]);
      return 'tracked';
    });
    const content = { subject: 's', text: 't', html: '<a href="{{trait.x}}">', preheader: 'P', tracking };
    const given = { ...input, scopes: { trait: { x: 'https://shop.test/?a&b' } }, tracked };
    expect(render(content, given)).toMatchObject({ message: { text: 't', html: 'tracked' } });
    const hidden = '<div style="display:none;max-height:0;overflow:hidden">P</div>';
    expect(asked).toEqual([[`${hidden}<a href="https://shop.test/?a&amp;b">`, tracking, tracked]]);
    expect(render({ ...content, html: '' }, given)).toMatchObject({ message: { html: null } });
    expect(render(content, { ...given, tracked: null })).toMatchObject({ message: { html: asked[0]?.[0] } });
    const { tracking: _, ...untracked } = content;
    expect(render(untracked, given)).toMatchObject({ message: { html: asked[0]?.[0] } });
    expect(asked).toHaveLength(1);
  });

  it('sends whichever body is not blank', () => {
    expect(rendered({ subject: 's', text: '{{trait.gone}}', html: '<p></p>' })).toMatchObject({
      text: null,
      html: '<p></p>',
    });
  });

  it('has no mail where every body is blank', () => {
    const render = emailRenderer();
    for (const content of [{ text: '{{trait.blank}}' }, { html: '', text: ' \n' }, { bodyHtml: '{{trait.gone}}' }])
      expect(render({ subject: 's', preheader: 'p', ...content }, input)).toEqual({ ok: false, reason: 'empty_body' });
  });

  it('has no mail where a text grows too large', () => {
    const scopes = { trait: { x: 'x'.repeat(40_000) } };
    const content = { subject: 's', text: '{{trait.x}}{{trait.x}}' };
    expect(emailRenderer()(content, { ...input, scopes })).toEqual({ ok: false, reason: 'too_large' });
  });

  it('compiles each text once', () => {
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
