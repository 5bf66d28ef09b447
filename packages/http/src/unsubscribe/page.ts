// The unsubscribe page: plain HTML without scripts, images or other hosts, with a label for every control and a status
// for screen readers.

import { createHash } from 'node:crypto';
import type { UnsubscribePage } from '@beckon/core';
import { languageOf, TEXTS } from './texts.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (found) => ENTITIES[found] ?? '');

const STYLE =
  'body{font:1.1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:3rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}' +
  'button{font:inherit;padding:.5rem 1.2rem;border:1px solid #1a1a1a;border-radius:.3rem;background:#1a1a1a;color:#fff}' +
  'button:focus-visible,input:focus-visible{outline:3px solid #0b57d0;outline-offset:2px}' +
  'fieldset{margin:2.5rem 0 0;border:1px solid #767676;border-radius:.3rem}label{display:block;padding:.25rem 0}';

/** Allows the page's own style and nothing else, by its digest. Source: CSP Level 3, 2.3.1. */
export const STYLE_SOURCE = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;

/** A whole HTML document. Throws nothing. */
export const unsubscribePage = (page: UnsubscribePage, isDone: boolean): string => {
  const { locale, category, isSubscribed, isSubscribedToAny, categories } = page;
  const language = languageOf(locale);
  const texts = TEXTS[language];
  // A function, because a name may contain `$&`.
  const wording = (all: string, one: string): string =>
    escaped(category === null ? all : one.replace('{}', () => category));
  const question = isSubscribed
    ? isDone
      ? wording(texts.againAll, texts.againOne)
      : wording(texts.askAll, texts.askOne)
    : wording(texts.doneAll, texts.doneOne);
  const [what, label] = isSubscribed ? ['unsubscribe', texts.unsubscribe] : ['resubscribe', texts.resubscribe];
  const checkbox = (name: string, value: string, text: string, isChecked: boolean): string =>
    `<label><input type="checkbox" name="${name}" value="${escaped(value)}"${isChecked ? ' checked' : ''}> ${escaped(text)}</label>`;
  const choices =
    categories.length === 0
      ? ''
      : `<form method="post"><fieldset><legend>${escaped(texts.choose)}</legend>` +
        checkbox('any', 'yes', texts.any, isSubscribedToAny) +
        categories.map(({ name, isSubscribed: isChecked }) => checkbox('category', name, name, isChecked)).join('') +
        `<p><button name="do" value="choose">${escaped(texts.save)}</button></p></fieldset></form>`;
  return (
    `<!doctype html><html lang="${language}"><head><meta charset="utf-8">` +
    '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">' +
    `<title>${escaped(texts.title)}</title><style>${STYLE}</style></head><body><main><h1>${escaped(texts.title)}</h1>` +
    `<p${isDone ? ' role="status"' : ''}>${isDone ? `${escaped(texts.saved)} ` : ''}${question}</p>` +
    `<form method="post"><button name="do" value="${what}">${escaped(label)}</button></form>${choices}</main></body></html>`
  );
};
