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
    ['a browser opens', {}, null],
    ['a browser clicks', { kind: 'clicked' }, null],
    ['nothing is known of it', { userAgent: null, method: null }, null],
    ['it gives no name', { userAgent: '', kind: 'clicked' }, null],
    ['its provider says so', { isReportedMachine: true }, 'reported_by_provider'],
    ['it asks for no body', { method: 'HEAD' }, 'head'],
    ['it asks for no body of a page', { method: 'HEAD', kind: 'clicked' }, 'head'],
    ['it is the proxy of Apple', { userAgent: 'Mozilla/5.0' }, 'apple_mail_privacy'],
    ['it is the proxy of Apple, with a space', { userAgent: ' Mozilla/5.0 ' }, 'apple_mail_privacy'],
    ['a click has the name of that proxy', { userAgent: 'Mozilla/5.0', kind: 'clicked' }, null],
    ['it is Gmail, and nobody reads yet', { userAgent: PREFETCH }, 'gmail_prefetch'],
    ['it is Gmail, and somebody reads', { userAgent: GMAIL }, null],
    ['it is the proxy of Yahoo', { userAgent: 'YahooMailProxy; https://help.yahoo.com/kb/' }, null],
    [
      'it is a robot',
      { userAgent: 'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)' },
      'names_itself',
    ],
    ['it is a gateway', { userAgent: 'BarracudaCentral', kind: 'clicked' }, 'names_itself'],
    ['it is a browser without a screen', { userAgent: 'Mozilla/5.0 HeadlessChrome/120.0.0.0' }, 'names_itself'],
    ['it is a telephone of Cubot', { userAgent: 'Mozilla/5.0 (Linux; Android 12; CUBOT NOTE 30) Chrome/120' }, null],
    ['it opens as the mail comes', { at: later(0) }, null],
    ['it clicks as the mail comes', { kind: 'clicked', at: later(FIRST_CLICK_MS - 1) }, 'before_anybody_could'],
    ['it clicks a little later', { kind: 'clicked', at: later(FIRST_CLICK_MS) }, null],
    ['nobody knows when the mail went', { kind: 'clicked', at: later(0), sentAt: null }, null],
    [
      'it follows another link at once',
      { kind: 'clicked', url: B, firstUrl: A, lastClickAt: later(60_000 - NEXT_LINK_MS + 1) },
      'link_after_link',
    ],
    [
      'it follows another link later',
      { kind: 'clicked', url: B, firstUrl: A, lastClickAt: later(60_000 - NEXT_LINK_MS) },
      null,
    ],
    ['it follows the same link at once', { kind: 'clicked', url: A, firstUrl: A, lastClickAt: later(59_900) }, null],
    ['it follows the first link', { kind: 'clicked', url: A }, null],
  ])('an open or click is classified by its request: %s', (_, more, reason) => {
    expect(machineReason(look(more))).toBe(reason);
  });
});
