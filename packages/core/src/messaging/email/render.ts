import type { EmailMessage, Mailbox } from '../../delivery/transports/port.ts';
import { domainOf } from '../../foundation/email-address.ts';
import { type Template, templateCache } from '../templates/compile.ts';
import {
  escapeHtml,
  type MarkedText,
  RenderError,
  type RenderScopes,
  render,
  renderMarked,
} from '../templates/render.ts';
import { returnPathOf } from './bounce-mail.ts';
import { MAX_LINE_OCTETS } from './headers.ts';
import { edited } from './html-edits.ts';
import { tagsOf } from './html-tags.ts';
import { blankedUrls } from './html-urls.ts';
import { type EmailContent, MAX_BODY_BYTES } from './schema.ts';
import type { TrackHtml } from './tracking.ts';
import type { TrackedMail } from './tracking-tokens.ts';
import { unsubscribeHeaders, withUnsubscribe } from './unsubscribe-links.ts';

/** Elements before the body. Source: HTML, 13.2.6.4.4 (in head). */
const BEFORE_BODY = new Set([
  'html',
  'head',
  'base',
  'link',
  'meta',
  'title',
  'style',
  'script',
  'noscript',
  'template',
]);

/**
 * Start of the visible content: after `<body>`, or without one before the first visible item. Never before the doctype,
 * which would switch readers to quirks mode.
 */
const contentStart = (html: string): number => {
  const isContent = ({ name, isEnd }: { readonly name: string; readonly isEnd: boolean }): boolean =>
    !isEnd && !BEFORE_BODY.has(name);
  const { tags, end, firstText } = tagsOf(html, null, isContent);
  const last = tags.at(-1);
  const first = last !== undefined && isContent(last) ? last : undefined;
  if (first?.name === 'body' && firstText === undefined) return first.end;
  return Math.min(firstText ?? end, first?.start ?? end);
};

/**
 * Inserts the preheader, the hidden text that mail clients show beside the subject. Throws nothing after `loadHtml`.
 */
const withPreheader = (html: MarkedText, preheader: string): MarkedText => {
  const at = contentStart(html.text);
  const text = `<div style="display:none;max-height:0;overflow:hidden">${escapeHtml(preheader)}</div>`;
  return edited(html, [{ start: at, end: at, text }]);
};

/** Compiled templates kept in the cache. Chosen: an email has up to five. */
const TEMPLATES = 500;

export type EmailRenderInput = {
  readonly messageId: string;
  readonly sendId: string;
  /** Recipient of the envelope. */
  readonly to: Mailbox;
  /** Used if the content names no sender. */
  readonly defaultFrom: Mailbox;
  readonly scopes: RenderScopes;
  /** Domain of the return path; null or absent: the sender is the return path. */
  readonly bounceDomain?: string | null | undefined;
  /** Unsubscribe link of the recipient; null or absent: none. */
  readonly unsubscribe?: string | null;
  /** Null or absent: this email is not tracked, whatever the content requests. */
  readonly tracked?: TrackedMail | null;
};

/** A rendered email, or why there is none. `too_large`: a body exceeds 1 MB, or another text 65,536 bytes. */
export type RenderedEmail =
  | { readonly ok: true; readonly message: EmailMessage }
  | { readonly ok: false; readonly reason: 'empty_body' | 'too_large' };

/** Values may contain line breaks, a header may not. Runs of white space and control characters become one space. */
const subjectLine = (text: string): string =>
  text
    .replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()
    .slice(0, MAX_LINE_OCTETS)
    .toWellFormed();

const isBlank = (text: string): boolean => text.trim() === '';

/**
 * Makes the function that renders emails; pure except for its cache of compiled templates.
 *
 * Values are escaped in `html` and in the preheader, which appears in HTML only; in `html` they can choose no URL
 * schemes except http, https, mailto and tel. `bodyHtml` and `text` take values unescaped. Tracking comes last and does
 * not affect size limits. The subject is one line of plain text of at most 998 characters. An email with only blank
 * bodies is `empty_body`. Throws nothing after `loadHtml`.
 */
export const emailRenderer = (
  compile: (text: string) => Template = templateCache(TEMPLATES),
  track: TrackHtml = ({ text }) => text,
): ((content: EmailContent, input: EmailRenderInput) => RenderedEmail) => {
  const fill = (text: string, scopes: RenderScopes, maxBytes?: number): string =>
    render(compile(text), scopes, { escapeHtml: false, maxBytes });

  const textOf = ({ text }: EmailContent, scopes: RenderScopes): string | null => {
    const filled = text === undefined ? '' : fill(text, scopes, MAX_BODY_BYTES);
    return isBlank(filled) ? null : filled;
  };

  const htmlOf = ({ html, bodyHtml, preheader }: EmailContent, scopes: RenderScopes): MarkedText | null => {
    const text = bodyHtml ?? html;
    if (text === undefined) return null;
    const isEscaped = bodyHtml === undefined;
    const raw = renderMarked(compile(text), scopes, { escapeHtml: isEscaped, maxBytes: MAX_BODY_BYTES });
    if (isBlank(raw.text)) return null;
    const filled = isEscaped ? edited(raw, blankedUrls(raw)) : raw;
    const shown = preheader === undefined ? '' : fill(preheader, scopes);
    return isBlank(shown) ? filled : withPreheader(filled, shown);
  };

  const mail = (content: EmailContent, input: EmailRenderInput): RenderedEmail => {
    const { messageId, sendId, to, defaultFrom, tracked, unsubscribe = null, bounceDomain = null } = input;
    const scopes = withUnsubscribe(input.scopes, unsubscribe);
    const text = textOf(content, scopes);
    const html = htmlOf(content, scopes);
    if (text === null && html === null) return { ok: false, reason: 'empty_body' };
    const from = content.from ?? defaultFrom;
    return {
      ok: true,
      message: {
        messageId,
        sendId,
        envelope: {
          from: bounceDomain === null ? from.email : returnPathOf(messageId, bounceDomain),
          to: to.email,
        },
        from,
        to: content.addressed?.to ?? to,
        cc: content.addressed?.cc ?? [],
        replyTo: content.replyTo ?? null,
        subject: subjectLine(fill(content.subject, scopes)),
        text,
        html:
          html !== null && content.tracking && tracked ? track(html, content.tracking, tracked) : (html?.text ?? null),
        headers: {
          ...content.headers,
          ...unsubscribeHeaders(unsubscribe, content.headers),
          'Message-ID': `<${messageId}@${domainOf(from.email)}>`,
          'X-Service-Send-Id': sendId,
        },
        attachments: content.attachments ?? [],
      },
    };
  };

  return (content, input) => {
    try {
      return mail(content, input);
    } catch (error) {
      if (error instanceof RenderError) return { ok: false, reason: 'too_large' };
      throw error;
    }
  };
};
