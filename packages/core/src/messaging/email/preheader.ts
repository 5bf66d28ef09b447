import { escapeHtml, type MarkedText } from '../templates/render.ts';
import { edited } from './html-edits.ts';
import { tagsOf } from './html-tags.ts';

/** What stands before a body. Source: HTML, 13.2.6.4.4 (in head). */
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
 * Where the content of a mail begins: behind its `<body>`, or, where it has none, before the first thing that is shown.
 * Never before the doctype: readers would lay the mail out as one of the nineties.
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

/** The mail with what mail clients show beside the subject, hidden in it. Throws nothing once `loadHtml` was waited for. */
export const withPreheader = (html: MarkedText, preheader: string): MarkedText => {
  const at = contentStart(html.text);
  const text = `<div style="display:none;max-height:0;overflow:hidden">${escapeHtml(preheader)}</div>`;
  return edited(html, [{ start: at, end: at, text }]);
};
