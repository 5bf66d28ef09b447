import { describe, expect, it } from 'vitest';
import { localisedPush, type PushContent } from './content.ts';

const textsFor = (content: Partial<PushContent>, locale: string | null) => {
  const made = localisedPush({ ttlSeconds: 0, ...content }, locale);
  return 'unsupported' in made ? null : { title: made.content.title, body: made.content.body, tag: made.tag };
};

describe('localized push content', () => {
  const both = { title: 'Hi', body: 'Come', localizedTitle: { es: 'Hola' }, localizedBody: { es: 'Ven', fr: 'Viens' } };

  it("title and body use the reader's language", () => {
    expect(textsFor(both, 'es-AR')).toEqual({ title: 'Hola', body: 'Ven', tag: 'es' });
    expect(textsFor(both, 'fr')).toEqual({ title: 'Hi', body: 'Viens', tag: 'fr' });
    expect(textsFor(both, 'de')).toEqual({ title: 'Hi', body: 'Come', tag: null });
    expect(textsFor(both, null)).toEqual({ title: 'Hi', body: 'Come', tag: null });
  });

  it('without a default body, only readers with a localized body are sent to, whatever the titles', () => {
    const strict = { title: 'Hi', body: '', localizedBody: { es: 'Ven' } };
    expect(textsFor(strict, 'es')).toMatchObject({ body: 'Ven' });
    expect(textsFor(strict, 'fr')).toBeNull();
    expect(textsFor({ data: {}, localizedBody: { es: 'Ven' } }, null)).toBeNull();
  });

  it('a push with localized titles only needs a matching title or a body', () => {
    expect(textsFor({ localizedTitle: { es: 'Hola' } }, 'fr')).toBeNull();
    expect(textsFor({ localizedTitle: { es: 'Hola' }, body: 'Come' }, 'fr')).toEqual({ body: 'Come', tag: null });
    expect(textsFor({ localizedTitle: { es: 'Hola' } }, 'es')).toMatchObject({ title: 'Hola', tag: 'es' });
  });

  it('content without localizations is unchanged', () => {
    const plain: PushContent = { ttlSeconds: 0, body: '', localizedBody: {} };
    expect(localisedPush(plain, 'es')).toEqual({ content: plain, tag: null });
  });
});
