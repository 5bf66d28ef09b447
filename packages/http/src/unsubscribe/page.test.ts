import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { STYLE_SOURCE, unsubscribePage } from './page.ts';
import { languageOf, TEXTS } from './texts.ts';

const PAGE = { locale: null, category: null, isSubscribed: true, isSubscribedToAny: true, categories: [] } as const;

describe('the page to unsubscribe', () => {
  it('speaks the language of whoever reads it where it knows it, else English', () => {
    expect(['de-AT', 'pt_BR', 'FR', 'ja', 'constructor', '', null].map(languageOf)).toEqual([
      'de',
      'pt',
      'fr',
      'en',
      'en',
      'en',
      'en',
    ]);
    for (const [language, texts] of Object.entries(TEXTS)) {
      const page = unsubscribePage({ ...PAGE, locale: language }, false);
      expect(page).toContain(`<html lang="${language}">`);
      expect(page).toContain(`<title>${texts.title}</title>`);
      for (const text of [texts.askOne, texts.doneOne, texts.againOne]) expect(text.split('{}')).toHaveLength(2);
    }
  });

  it('asks first, says afterwards what was done and how to undo it', () => {
    const asked = unsubscribePage(PAGE, false);
    expect(asked).toContain(TEXTS.en.askAll);
    expect(asked).toContain('<button name="do" value="unsubscribe">Unsubscribe</button>');
    expect(asked).not.toContain('role="status"');
    const done = unsubscribePage({ ...PAGE, isSubscribed: false }, true);
    expect(done).toContain(TEXTS.en.doneAll);
    expect(done).toContain('role="status"');
    expect(done).toContain('<button name="do" value="resubscribe">Subscribe again</button>');
    expect(unsubscribePage(PAGE, true)).toContain(TEXTS.en.againAll);
  });

  it('shows names as text, whatever is in them, and what of them is chosen', () => {
    const name = '"><script>alert(1)</script>$&';
    const page = unsubscribePage(
      {
        ...PAGE,
        category: name,
        categories: [
          { name, isSubscribed: true },
          { name: 'b', isSubscribed: false },
        ],
      },
      false,
    );
    expect(page).not.toContain('<script');
    expect(page).toContain('about “&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;$&amp;”?');
    expect(page).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;$&amp;" checked>');
    expect(page).toContain('<input type="checkbox" name="category" value="b"> b</label>');
    expect(page).toContain('name="any" value="yes" checked>');
  });

  it('has the style that its policy names', () => {
    const style = /<style>([^<]*)<\/style>/.exec(unsubscribePage(PAGE, false))?.[1] ?? '';
    expect(STYLE_SOURCE).toBe(`'sha256-${createHash('sha256').update(style).digest('base64')}'`);
  });

  it('loads nothing and runs nothing', () => {
    expect(unsubscribePage(PAGE, false)).not.toMatch(/<script|<img|<link|<iframe|https?:|\son\w+=/i);
  });
});
