import { describe, expect, it } from 'vitest';
import { localisedPush, type PushContent } from './content.ts';

const said = (content: Partial<PushContent>, locale: string | null) => {
  const made = localisedPush({ ttlSeconds: 0, ...content }, locale);
  return 'unsupported' in made ? null : { title: made.content.title, body: made.content.body, tag: made.tag };
};

describe('localized push content', () => {
  const both = { title: 'Hi', body: 'Come', localizedTitle: { es: 'Hola' }, localizedBody: { es: 'Ven', fr: 'Viens' } };

  it("title and body use the reader's language", () => {
    expect(said(both, 'es-AR')).toEqual({ title: 'Hola', body: 'Ven', tag: 'es' });
    expect(said(both, 'fr')).toEqual({ title: 'Hi', body: 'Viens', tag: 'fr' });
    expect(said(both, 'de')).toEqual({ title: 'Hi', body: 'Come', tag: null });
    expect(said(both, null)).toEqual({ title: 'Hi', body: 'Come', tag: null });
  });

  it('without a default body, only readers with a localized body are sent to, whatever the titles', () => {
    const strict = { title: 'Hi', body: '', localizedBody: { es: 'Ven' } };
    expect(said(strict, 'es')).toMatchObject({ body: 'Ven' });
    expect(said(strict, 'fr')).toBeNull();
    expect(said({ data: {}, localizedBody: { es: 'Ven' } }, null)).toBeNull();
  });

  it('a push with localized titles only needs a matching title or a body', () => {
    expect(said({ localizedTitle: { es: 'Hola' } }, 'fr')).toBeNull();
    expect(said({ localizedTitle: { es: 'Hola' }, body: 'Come' }, 'fr')).toEqual({ body: 'Come', tag: null });
    expect(said({ localizedTitle: { es: 'Hola' } }, 'es')).toMatchObject({ title: 'Hola', tag: 'es' });
  });

  it('content without localizations is unchanged', () => {
    const plain: PushContent = { ttlSeconds: 0, body: '', localizedBody: {} };
    expect(localisedPush(plain, 'es')).toEqual({ content: plain, tag: null });
  });
});
