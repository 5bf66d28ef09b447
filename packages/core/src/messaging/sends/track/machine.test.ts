import { describe, expect, it } from 'vitest';
import { type ClientAction, FIRST_CLICK_MS, type MachineReason, machineReason, NEXT_LINK_MS } from './machine.ts';

const SENT = new Date('2026-03-01T12:00:00.000Z');
const later = (ms: number): Date => new Date(SENT.getTime() + ms);
const SAFARI =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15';
const GMAIL = 'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)';
const PREFETCH =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/42.0.2311.135 Safari/537.36 Edge/12.246 Mozilla/5.0';

const look = (more: Partial<ClientAction>): ClientAction => ({
  kind: 'opened',
  method: 'GET',
  userAgent: SAFARI,
  isReportedMachine: false,
  at: later(60_000),
  url: more.kind === 'clicked' ? 'https://shop.test/a' : null,
  sentAt: SENT,
  lastClickAt: null,
  firstUrl: null,
  ...more,
});
const A = 'https://shop.test/a';
const B = 'https://shop.test/b';

describe('machineReason', () => {
  it.each<[string, Partial<ClientAction>, MachineReason | null]>([
    ['a browser loads the pixel', {}, null],
    ['a browser follows a link', { kind: 'clicked' }, null],
    ['without user agent and method', { userAgent: null, method: null }, null],
    ['with an empty user agent', { userAgent: '', kind: 'clicked' }, null],
    ['reported as automated by the provider', { isReportedMachine: true }, 'reported_by_provider'],
    ['HEAD of the pixel', { method: 'HEAD' }, 'head'],
    ['HEAD of a link', { method: 'HEAD', kind: 'clicked' }, 'head'],
    ['the proxy of Apple', { userAgent: 'Mozilla/5.0' }, 'apple_mail_privacy'],
    ['the proxy of Apple, with spaces', { userAgent: ' Mozilla/5.0 ' }, 'apple_mail_privacy'],
    ['a click with the name of that proxy', { userAgent: 'Mozilla/5.0', kind: 'clicked' }, null],
    ['a prefetch by Gmail', { userAgent: PREFETCH }, 'gmail_prefetch'],
    ['Gmail showing the email', { userAgent: GMAIL }, null],
    ['the proxy of Yahoo', { userAgent: 'YahooMailProxy; https://help.yahoo.com/kb/' }, null],
    [
      'a robot',
      { userAgent: 'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)' },
      'names_itself',
    ],
    ['a scanning gateway', { userAgent: 'BarracudaCentral', kind: 'clicked' }, 'names_itself'],
    ['a headless browser', { userAgent: 'Mozilla/5.0 HeadlessChrome/120.0.0.0' }, 'names_itself'],
    ['a phone of the maker Cubot', { userAgent: 'Mozilla/5.0 (Linux; Android 12; CUBOT NOTE 30) Chrome/120' }, null],
    ['an open at delivery', { at: later(0) }, null],
    ['a click at delivery', { kind: 'clicked', at: later(FIRST_CLICK_MS - 1) }, 'before_anybody_could'],
    ['a click a little later', { kind: 'clicked', at: later(FIRST_CLICK_MS) }, null],
    ['a click with an unknown delivery time', { kind: 'clicked', at: later(0), sentAt: null }, null],
    [
      'another link at once',
      { kind: 'clicked', url: B, firstUrl: A, lastClickAt: later(60_000 - NEXT_LINK_MS + 1) },
      'link_after_link',
    ],
    ['another link later', { kind: 'clicked', url: B, firstUrl: A, lastClickAt: later(60_000 - NEXT_LINK_MS) }, null],
    ['the same link at once', { kind: 'clicked', url: A, firstUrl: A, lastClickAt: later(59_900) }, null],
    ['the first link', { kind: 'clicked', url: A }, null],
  ])('an open or click is classified by its request: %s', (_, more, reason) => {
    expect(machineReason(look(more))).toBe(reason);
  });
});
