import { describe, expect, it } from 'vitest';
import { answerOf, standInAnswer } from './answer.ts';
import type { AiQuestion } from './task.ts';

const decide = { flavor: 'decide', options: [{ name: 'yes' }, { name: 'no' }], hasFallback: false } as const;
const extract: AiQuestion = {
  flavor: 'extract',
  properties: {
    city: { type: 'string' },
    people: { type: 'integer' },
    price: { type: 'number' },
    isUrgent: { type: 'boolean' },
    size: { type: 'string', enum: ['s', 'm'] },
  },
  required: ['city', 'people'],
};
const said = (asked: AiQuestion, value: unknown) =>
  answerOf(asked, typeof value === 'string' ? value : JSON.stringify(value));

describe('answerOf', () => {
  it('generate accepts a text up to the maximum length', () => {
    expect(said({ flavor: 'generate' }, '  Hello {{user.email}}\n')).toEqual({
      ok: true,
      output: { text: 'Hello {{user.email}}' },
    });
    expect(said({ flavor: 'generate' }, 'a\0\ud800')).toEqual({ ok: true, output: { text: 'a\u{FFFD}\u{FFFD}' } });
    expect(said({ flavor: 'generate' }, 'x'.repeat(16_384)).ok).toBe(true);
    for (const bad of ['', ' \n', 'x'.repeat(16_385)]) expect(said({ flavor: 'generate' }, bad).ok).toBe(false);
  });

  it('decide accepts exactly one of the options', () => {
    for (const good of ['{"choice":"yes"}', '```json\n{"choice":"yes"}\n```', ' {"choice":"yes","why":"x"} '])
      expect(said(decide, good), good).toEqual({ ok: true, output: { choice: 'yes' } });
    for (const bad of [
      'yes',
      '{"choice":"maybe"}',
      '{"choice":"Yes"}',
      '{"choice":["yes"]}',
      '["yes"]',
      '{}',
      'null',
      '',
    ])
      expect(said(decide, bad).ok, bad).toBe(false);
    expect(said(decide, '{"__proto__":{"choice":"yes"}}').ok).toBe(false);
  });

  it('decide accepts the fallback if the author allows it', () => {
    expect(said(decide, { choice: 'fallback' }).ok).toBe(false);
    expect(said({ ...decide, hasFallback: true }, { choice: 'fallback' })).toEqual({
      ok: true,
      output: { choice: 'fallback' },
    });
  });

  it("extract returns values of the schema's types and omits null", () => {
    expect(said(extract, { city: 'Ghent', people: 2, price: 1.5, isUrgent: false, size: null })).toEqual({
      ok: true,
      output: { city: 'Ghent', people: 2, price: 1.5, isUrgent: false },
    });
  });

  it('a wrong type, a missing key and an unknown key are rejected', () => {
    const good = { city: 'Ghent', people: 2 };
    for (const bad of [
      { people: 2 },
      { ...good, city: null },
      { ...good, city: 7 },
      { ...good, people: '2' },
      { ...good, people: 2.5 },
      { ...good, people: 2 ** 60 },
      { ...good, price: '1' },
      { ...good, isUrgent: 'true' },
      { ...good, size: 'l' },
      { ...good, more: 1 },
      { ...good, city: { name: 'Ghent' } },
      { ...good, city: 'x'.repeat(4_097) },
      [good],
      'Ghent',
      '{"city":',
    ])
      expect(said(extract, bad).ok, JSON.stringify(bad)).toBe(false);
  });

  it('the problem does not contain the value', () => {
    const answer = said(extract, { city: 'Ghent', people: 'canary' });
    expect(answer).toEqual({ ok: false, problem: 'The value of "people" must be of type integer.' });
  });
});

describe('standInAnswer', () => {
  it('a stand-in answer is valid for its step', () => {
    for (const asked of [{ flavor: 'generate' } as const, decide, extract]) {
      const output = standInAnswer(asked);
      const text = asked.flavor === 'generate' ? String(output['text']) : JSON.stringify(output);
      expect(answerOf(asked, text)).toEqual({ ok: true, output });
    }
  });
});
