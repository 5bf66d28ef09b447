import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { byLanguage, textFor } from './locale.ts';

const texts = byLanguage(z.string());
const own = (text: string): Record<string, string> => JSON.parse(text);

describe('localized texts', () => {
  it.each([
    ['es-MX', { 'es-MX': 'A', es: 'B' }, 'C', 'A'],
    ['es_mx', { 'es-MX': 'A', es: 'B' }, 'C', 'A'],
    ['es-AR', { 'es-MX': 'A', es: 'B' }, 'C', 'B'],
    ['es', { 'es-MX': 'A' }, 'C', 'C'],
    ['fil-PH', { fi: 'A' }, 'C', 'C'],
    ['fr', { es: 'A' }, undefined, undefined],
    ['es-MX', { 'es-MX': '', es: 'B' }, 'C', 'B'],
    ['constructor', { es: 'A' }, 'C', 'C'],
    ['__proto__', { es: 'A' }, 'C', 'C'],
    [null, { es: 'A' }, 'C', 'C'],
    ['fil-PH', { 'fil-PH': 'A' }, 'C', 'A'],
    ['fil', { fil: 'A' }, 'C', 'A'],
    ['ES', { es: 'A' }, 'C', 'A'],
    ['pt-BR', { pt_br: 'A' }, 'C', 'A'],
    ['zh-Hant-TW', { 'zh-Hans': 'A', zh: 'B' }, 'C', 'B'],
    ['est', { es: 'A' }, 'C', 'C'],
    ['', { es: 'A' }, 'C', 'C'],
    ['es', undefined, 'C', 'C'],
    ['es', { es: '' }, '', ''],
  ])('the locale %j with entries %j and the default %j gives %j', (locale, entries, top, text) => {
    expect(textFor(entries, top, locale).text).toBe(text);
  });

  it('only own keys are looked up', () => {
    expect(textFor(own('{"__proto__":"A"}'), 'C', '__proto__').text).toBe('A');
    expect(textFor({}, 'C', 'toString').text).toBe('C');
  });

  it('the found tag is returned as it was written', () => {
    expect(textFor({ es_MX: 'A' }, 'C', 'es-mx').tag).toBe('es_MX');
    expect(textFor({ es_MX: 'A' }, 'C', 'fr').tag).toBeNull();
  });

  it('entries are keyed by valid language tags', () => {
    expect(texts.safeParse({ es: 'A', 'pt-BR': 'B', zh_Hant_TW: 'C' }).success).toBe(true);
    for (const tag of ['e', 'es-', 'spanish language', 'x'.repeat(36), ''])
      expect(texts.safeParse({ [tag]: 'A' }).success).toBe(false);
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`es-${at}`, 'A']));
    expect(texts.safeParse(many).success).toBe(false);
  });
});
