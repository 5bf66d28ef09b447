import { describe, expect, it } from 'vitest';
import { CATALOG, catalogue } from '../packages/core/src/index.ts';
import { MESSAGE_REASONS, RENDER_FAILURES } from '../packages/core/src/messaging/sends/schema.ts';
import { errorReference, eventReference, reasonReference } from './names-reference.ts';
import { ERROR_TEXTS, EVENT_TEXTS, MESSAGE_TEXTS, RENDER_TEXTS } from './reference-texts.ts';

const isSentence = (text: string): boolean => /^[`A-Z].*\.$/.test(text);

describe('reference of names', () => {
  it('every error code, message reason and event of the catalogue has a text, and no other name has one', () => {
    expect(Object.keys(ERROR_TEXTS).sort()).toEqual(Object.keys(catalogue).sort());
    expect(Object.keys(MESSAGE_TEXTS).sort()).toEqual([...MESSAGE_REASONS].sort());
    expect(Object.keys(RENDER_TEXTS).sort()).toEqual([...RENDER_FAILURES].sort());
    expect(Object.keys(EVENT_TEXTS).sort()).toEqual(Object.keys(CATALOG).sort());
  });

  it('every text of the reference is a sentence', () => {
    const texts = [
      ...Object.values(ERROR_TEXTS).flatMap(({ when, remedy, example }) => [when, remedy, example]),
      ...Object.values(MESSAGE_TEXTS).map(({ text }) => text),
      ...Object.values(RENDER_TEXTS),
      ...Object.values(EVENT_TEXTS),
    ];
    expect(texts.filter((text) => !isSentence(text))).toEqual([]);
  });

  it('each page names every code, reason or event once as a heading or a row', () => {
    const headings = [...errorReference().matchAll(/^## (\w+)$/gm)].map(([, code]) => code);
    expect(headings).toEqual(Object.keys(catalogue));
    const rows = (page: string) => [...page.matchAll(/^\| `([\w.]+)` \|/gm)].map(([, name]) => name);
    expect(rows(reasonReference())).toEqual([...MESSAGE_REASONS, ...RENDER_FAILURES]);
    expect(rows(eventReference())).toEqual(Object.keys(CATALOG));
  });
});
