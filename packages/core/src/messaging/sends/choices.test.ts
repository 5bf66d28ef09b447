import { describe, expect, it } from 'vitest';
import { EVERY_CATEGORY, hasUnsubscribed } from './choices.ts';

const sent = (category: string | null, kind = 'marketing') => ({ class: kind, category });

describe('subscription choices', () => {
  it('an opt-out of a category or of all marketing stops nothing else', () => {
    const news = new Map([['news', false]]);
    expect(hasUnsubscribed(news, sent('news'))).toBe(true);
    expect(hasUnsubscribed(news, sent('offers'))).toBe(false);
    expect(hasUnsubscribed(news, sent(null))).toBe(false);
    expect(hasUnsubscribed(news, sent('news', 'transactional'))).toBe(false);
    const all = new Map([
      [EVERY_CATEGORY, false],
      ['news', true],
    ]);
    for (const category of ['news', 'offers', null]) expect(hasUnsubscribed(all, sent(category))).toBe(true);
    expect(hasUnsubscribed(all, sent(null, 'transactional'))).toBe(false);
    expect(hasUnsubscribed(new Map([['news', true]]), sent('news'))).toBe(false);
    expect(hasUnsubscribed(null, sent('news'))).toBe(false);
  });
});
