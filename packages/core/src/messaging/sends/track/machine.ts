// Who opened or clicked a mail: a person, or a program that reads mails before people do. Programs are told by what they
// publish of themselves and by what nobody can do; whatever no rule names counts as a person's.

/** What a request, or a provider, says of whoever looked. */
export type Looker = {
  /** Of the request; null: not known, as of what a provider tells. */
  readonly method: string | null;
  readonly userAgent: string | null;
  /** A provider has told it apart by rules of its own. */
  readonly isReportedMachine: boolean;
};

/** An open or a click, as far as it tells who made it. */
export type Look = Looker & {
  readonly kind: 'opened' | 'clicked';
  readonly at: Date;
  /** Of a click: where it leads. */
  readonly url: string | null;
  /** When its provider took the mail; null: not known. */
  readonly sentAt: Date | null;
  /** The last click of the mail before this one, whoever made it, and where the first one led. */
  readonly lastClickAt: Date | null;
  readonly firstUrl: string | null;
};

/** Why a look is a program's. */
export type MachineReason =
  | 'reported_by_provider'
  | 'head'
  | 'apple_mail_privacy'
  | 'gmail_prefetch'
  | 'names_itself'
  | 'before_anybody_could'
  | 'link_after_link';

/**
 * What Apple's Mail Privacy Protection asks for images with, whenever a mail comes in and whether or not it is read: this
 * and nothing behind it. Source: wordtothewise.com/2021/09/apple-mpp; help.socketlabs.com, Identifying Apple MPP opens.
 */
const APPLE_PRIVACY = 'Mozilla/5.0';

/**
 * What Gmail asks for images with before it shows a mail to somebody who is signed in. Source: bird.com (SparkPost), Gmail
 * is prefetching images. What it asks for as somebody reads a mail says `GoogleImageProxy`: a proxy, and a person.
 */
const GMAIL_PREFETCH =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) ' +
  'Chrome/42.0.2311.135 Safari/537.36 Edge/12.246 Mozilla/5.0';

/**
 * Programs that say so: robots by the word that they use for themselves (RFC 9309 asks them to have one), and gateways
 * that look into mails by the names of their products. Source: check.live-direct-marketing.online, Bot clicks from
 * security scanners (the families and their marks). Telephones of the maker Cubot are none.
 */
const NAMES =
  /(?:(?<!cu)bot|crawler|spider|scanner)\b|barracuda|proofpoint|mimecast|ciscosecureemail|\bheadlesschrome\b/i;

/**
 * A click this soon after the mail was handed over is nobody's, in milliseconds: a mail has to arrive, be seen and be read
 * first. Source: the same, "within 5 seconds of delivery? Humans are not that fast"; ours less than half of that, since
 * somebody may wait for the link of a mail with the mailbox open.
 */
export const FIRST_CLICK_MS = 2_000;

/**
 * Another link of the same mail this soon after the last is followed by what goes through them all, in milliseconds; ours,
 * half of what is seen of such programs ("every link within 10 seconds"), since a person may go back and choose another.
 */
export const NEXT_LINK_MS = 3_000;

/** Nothing is known of whoever it was. */
export const UNKNOWN_LOOKER: Looker = { method: null, userAgent: null, isReportedMachine: false };

const since = (at: Date, before: Date | null): number =>
  before === null ? Number.POSITIVE_INFINITY : Math.abs(at.getTime() - before.getTime());

/**
 * Why this look is a program's; null: it counts as a person's. An open soon after delivery says nothing: many mails are
 * read as they come. Pure. Throws nothing.
 */
export const machineReason = (look: Look): MachineReason | null => {
  const { kind, method, at, url, firstUrl } = look;
  const userAgent = look.userAgent?.trim() ?? '';
  if (look.isReportedMachine) return 'reported_by_provider';
  // Whoever reads what is behind a link asks for it.
  if (method === 'HEAD') return 'head';
  if (kind === 'opened' && userAgent === APPLE_PRIVACY) return 'apple_mail_privacy';
  if (kind === 'opened' && userAgent === GMAIL_PREFETCH) return 'gmail_prefetch';
  if (NAMES.test(userAgent)) return 'names_itself';
  if (kind === 'opened') return null;
  if (since(at, look.sentAt) < FIRST_CLICK_MS) return 'before_anybody_could';
  const isAnother = firstUrl !== null && url !== firstUrl;
  return isAnother && since(at, look.lastClickAt) < NEXT_LINK_MS ? 'link_after_link' : null;
};
