import { beforeAll, describe, expect, it } from 'vitest';
import { virtualClock } from '../../foundation/clock.ts';
import { newDataKey } from '../../foundation/secrets.ts';
import { loadHtml } from './html-tags.ts';
import { htmlTracker, type Tracking, trackingOf } from './tracking.ts';
import { trackingTokens } from './tracking-tokens.ts';

beforeAll(loadHtml);

const tokens = trackingTokens([newDataKey()], { clock: virtualClock('2026-03-01T12:00:00.000Z') });
const trackMarked = htmlTracker(tokens);
const track = (text: string, ...how: [Tracking, typeof mail]) => trackMarked({ text, values: [] }, ...how);
const mail = { scopeId: 1, sendId: 's', messageId: 'm' } as const;
const baseUrl = 'https://beckon.test/api/v1';
const both = { opens: true, clicks: true, baseUrl };
const LINK = /https:\/\/beckon\.test\/api\/v1\/email\/([oc])\/([\w-]+)/g;

const linksIn = (html: string) =>
  [...html.matchAll(LINK)].map(([, kind, token = '']) => [kind, tokens.read(token)?.url]);

describe('email tracking', () => {
  it('tracking routes links and a pixel through this service', () => {
    const html = track('<body><a href="https://shop.test/?a=1&amp;b=2">x</a></body>', both, mail);
    expect(linksIn(html)).toEqual([
      ['c', 'https://shop.test/?a=1&b=2'],
      ['o', null],
    ]);
    const [, , token = ''] = [...html.matchAll(LINK)][0] ?? [];
    expect(tokens.read(token)).toEqual({ ...mail, url: 'https://shop.test/?a=1&b=2' });
  });

  it('only the requested tracking is applied', () => {
    const html = '<a href="https://shop.test/">x</a>';
    expect(linksIn(track(html, { ...both, opens: false }, mail))).toEqual([['c', 'https://shop.test/']]);
    expect(linksIn(track(html, { ...both, clicks: false }, mail))).toEqual([['o', null]]);
  });

  it('links to this service stay, other links of its host are tracked', () => {
    const clicks = { ...both, opens: false };
    const own = '<a href="HTTPS://BECKON.test/api/v1/unsubscribe/t">x</a>';
    expect(track(own, clicks, mail)).toBe(own);
    expect(linksIn(track('<a href="https://beckon.test/api/v10/">x</a>', clicks, mail))).toHaveLength(1);
    const once = track('<a href="https://shop.test/">x</a>', clicks, mail);
    expect(track(once, clicks, mail)).toBe(once);
  });

  it('requested tracking is unavailable without a publicUrl', () => {
    expect(trackingOf({ opens: true }, null)).toBe('unavailable');
    expect(trackingOf({ opens: false }, null)).toBeNull();
    expect(trackingOf(undefined, null)).toBeNull();
  });

  it('the settings decide what the request leaves out, and nothing without a public URL', () => {
    const defaults = { opens: true, clicks: false };
    const url = 'https://beckon.test';
    expect(trackingOf(undefined, url, defaults)).toMatchObject({ opens: true, clicks: false });
    expect(trackingOf({ clicks: true }, url, defaults)).toMatchObject({ opens: true, clicks: true });
    expect(trackingOf({ opens: false }, url, defaults)).toBeNull();
    expect(trackingOf(undefined, null, defaults)).toBeNull();
    expect(trackingOf({ clicks: false }, null, defaults)).toBeNull();
  });
});
