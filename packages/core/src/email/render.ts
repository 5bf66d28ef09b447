import { type Template, templateCache } from '../templates/compile.ts';
import { escapeHtml, RenderError, type RenderScopes, render } from '../templates/render.ts';
import type { EmailMessage, Mailbox } from '../transports/port.ts';
import { domainOf } from './address.ts';
import { MAX_LINE_OCTETS } from './headers.ts';
import { tagsOf } from './html-tags.ts';
import type { EmailContent } from './schema.ts';
import type { TrackHtml } from './tracking.ts';
import type { TrackedMail } from './tracking-tokens.ts';

/** Compiled texts that are kept; ours: a mail has up to five. */
const TEMPLATES = 500;

export type EmailRenderInput = {
  readonly messageId: string;
  readonly sendId: string;
  /** Whom the envelope names. */
  readonly to: Mailbox;
  /** Used where the content names no sender. */
  readonly defaultFrom: Mailbox;
  readonly scopes: RenderScopes;
  /** Null or absent: nothing of this mail is tracked, whatever the content asks for. */
  readonly tracked?: TrackedMail | null;
};

/** A mail, or why there is none. `too_large`: a text would pass 65,536 bytes. */
export type RenderedEmail =
  | { readonly ok: true; readonly message: EmailMessage }
  | { readonly ok: false; readonly reason: 'empty_body' | 'too_large' };

/** Values may hold line breaks; a header may not. Runs of white space and control characters become one space. */
const subjectLine = (text: string): string =>
  text
    .replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()
    .slice(0, MAX_LINE_OCTETS)
    .toWellFormed();

const BODY = new Set(['body']);

/** What mail clients show beside the subject, hidden in the mail itself. */
const withPreheader = (html: string, preheader: string): string => {
  const hidden = `<div style="display:none;max-height:0;overflow:hidden">${escapeHtml(preheader)}</div>`;
  const at = tagsOf(html, BODY, ({ isEnd }) => !isEnd).tags.find(({ isEnd }) => !isEnd)?.end ?? 0;
  return html.slice(0, at) + hidden + html.slice(at);
};

const presence = (text: string | null): string | null => (text === null || text.trim() === '' ? null : text);

/**
 * Makes the function that renders mails: pure but for the texts that it remembers compiled.
 *
 * Values are escaped in `html` and in the preheader, which is shown in HTML only; `bodyHtml` and `text` take them raw.
 * Tracking comes last: links in values are tracked, too, and what may be rendered does not depend on it. The subject is
 * plain and one line of at most 998 characters. A mail whose bodies are all blank is `empty_body`. Throws nothing, once
 * `loadHtml` was waited for.
 */
export const emailRenderer = (
  compile: (text: string) => Template = templateCache(TEMPLATES),
  track: TrackHtml = (html) => html,
): ((content: EmailContent, input: EmailRenderInput) => RenderedEmail) => {
  const fill = (text: string, scopes: RenderScopes, isHtml: boolean): string =>
    render(compile(text), scopes, { escapeHtml: isHtml });

  const htmlOf = (content: EmailContent, scopes: RenderScopes): string | null => {
    if (content.bodyHtml !== undefined) return presence(fill(content.bodyHtml, scopes, false));
    return content.html === undefined ? null : presence(fill(content.html, scopes, true));
  };

  const mail = (content: EmailContent, input: EmailRenderInput): RenderedEmail => {
    const { messageId, sendId, to, defaultFrom, scopes, tracked } = input;
    const text = content.text === undefined ? null : presence(fill(content.text, scopes, false));
    const html = htmlOf(content, scopes);
    if (text === null && html === null) return { ok: false, reason: 'empty_body' };
    const preheader = content.preheader === undefined ? null : presence(fill(content.preheader, scopes, false));
    const whole = html !== null && preheader !== null ? withPreheader(html, preheader) : html;
    const from = content.from ?? defaultFrom;
    return {
      ok: true,
      message: {
        messageId,
        sendId,
        envelope: { from: from.email, to: to.email },
        from,
        to: content.addressed?.to ?? to,
        cc: content.addressed?.cc ?? [],
        replyTo: content.replyTo ?? null,
        subject: subjectLine(fill(content.subject, scopes, false)),
        text,
        html: whole !== null && content.tracking && tracked ? track(whole, content.tracking, tracked) : whole,
        headers: {
          ...content.headers,
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
