import { describe, expect, it } from 'vitest';
import { unsubscribeHeaders, unsubscribeLinks, withUnsubscribe } from './unsubscribe-links.ts';

const MAIL = { scopeId: 1, sendId: 's1', messageId: 'm1' };
const linkOf = (publicUrl: string | null) =>
  unsubscribeLinks({ sign: ({ messageId }) => `signed-${messageId}` }, publicUrl);

describe('unsubscribe links', () => {
  it('unsubscribe links are made for marketing with an https publicUrl only', () => {
    const link = 'https://b.example/api/v1/unsubscribe/signed-m1';
    expect(linkOf('https://b.example')(MAIL, 'marketing')).toBe(link);
    expect(linkOf('https://b.example')(MAIL, 'transactional')).toBeNull();
    expect(linkOf('http://b.example')(MAIL, 'marketing')).toBeNull();
    expect(linkOf(null)(MAIL, 'marketing')).toBeNull();
  });

  it('both unsubscribe headers are set unless the caller sets one of them', () => {
    expect(unsubscribeHeaders('https://b.example/u')).toEqual({
      'List-Unsubscribe': '<https://b.example/u>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    });
    for (const name of ['LIST-unsubscribe', 'List-Unsubscribe-Post'])
      expect(unsubscribeHeaders('https://b.example/u', { [name]: 'x' })).toEqual({});
    expect(unsubscribeHeaders(null)).toEqual({});
  });

  it("texts of an email can use the unsubscribe link beside the user's facts", () => {
    expect(withUnsubscribe({ user: { userId: 'ann' }, trait: {} }, 'https://b.example/u')).toEqual({
      user: { userId: 'ann', unsubscribeUrl: 'https://b.example/u' },
      trait: {},
    });
    expect(withUnsubscribe({ user: { userId: 'ann' } }, null)).toEqual({ user: { userId: 'ann' } });
  });
});
