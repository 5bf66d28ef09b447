import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { STYLE_SOURCE, unsubscribePage } from './page.ts';
import { languageOf, TEXTS } from './texts.ts';

const PAGE = { locale: null, category: null, isSubscribed: true, isSubscribedToAny: true, categories: [] } as const;

describe('unsubscribe page', () => {
  it("the unsubscribe page uses the reader's language if it is supported, else English", () => {
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

  it('the unsubscribe page asks for confirmation, then shows the result and how to undo it', () => {
    const page = unsubscribePage(PAGE, false);
    expect(page).toContain(TEXTS.en.askAll);
    expect(page).toContain('<button name="do" value="unsubscribe">Unsubscribe</button>');
    expect(page).not.toContain('role="status"');
    const done = unsubscribePage({ ...PAGE, isSubscribed: false }, true);
    expect(done).toContain(TEXTS.en.doneAll);
    expect(done).toContain('role="status"');
    expect(done).toContain('<button name="do" value="resubscribe">Subscribe again</button>');
    expect(unsubscribePage(PAGE, true)).toContain(TEXTS.en.againAll);
  });

  it("names on the unsubscribe page are escaped, and the user's choices are marked", () => {
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

  it("the unsubscribe page's style matches the hash in its policy", () => {
    const style = /<style>([^<]*)<\/style>/.exec(unsubscribePage(PAGE, false))?.[1] ?? '';
    expect(STYLE_SOURCE).toBe(`'sha256-${createHash('sha256').update(style).digest('base64')}'`);
  });

  it('the unsubscribe page loads nothing and runs no script', () => {
    expect(unsubscribePage(PAGE, false)).not.toMatch(/<script|<img|<link|<iframe|https?:|\son\w+=/i);
  });
});
