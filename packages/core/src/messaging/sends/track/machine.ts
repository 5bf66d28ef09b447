// Detects automated opens and clicks, by what programs publish about themselves and by what people cannot do. Anything
// without a matching rule counts as a person.

/** What a request, or a provider, says about the client. */
export type Client = {
  /** HTTP method; null: unknown, for example in provider callbacks. */
  readonly method: string | null;
  readonly userAgent: string | null;
  /** True if the provider's own rules classify it as automated. */
  readonly isReportedMachine: boolean;
};

/** An open or click, with the facts that show who made it. */
export type ClientAction = Client & {
  readonly kind: 'opened' | 'clicked';
  readonly at: Date;
  /** Clicks only: the target URL. */
  readonly url: string | null;
  /** When the provider accepted the email; null: unknown. */
  readonly sentAt: Date | null;
  /** Time of the previous click in the email, by a person or a program, and the target of the first click. */
  readonly lastClickAt: Date | null;
  readonly firstUrl: string | null;
};

/** Why an open or click is automated. */
export type MachineReason =
  | 'reported_by_provider'
  | 'head'
  | 'apple_mail_privacy'
  | 'gmail_prefetch'
  | 'names_itself'
  | 'before_anybody_could'
  | 'link_after_link';

/**
 * User agent with which Apple's Mail Privacy Protection loads images when an email arrives, whether or not it is read:
 * exactly this. Source: wordtothewise.com/2021/09/apple-mpp; help.socketlabs.com, Identifying Apple MPP opens.
 */
const APPLE_PRIVACY = 'Mozilla/5.0';

/**
 * User agent with which Gmail loads images before it shows an email to a signed-in user. Source: bird.com (SparkPost),
 * Gmail is prefetching images. `GoogleImageProxy` loads them when a person reads the email.
 */
const GMAIL_PREFETCH =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) ' +
  'Chrome/42.0.2311.135 Safari/537.36 Edge/12.246 Mozilla/5.0';

/**
 * Programs that identify themselves: robots by the words they use (RFC 9309 requires a name), and scanning gateways by
 * product name. Source: check.live-direct-marketing.online, Bot clicks from security scanners (the families and their
 * marks). Phones of the maker Cubot are excluded.
 */
const NAMES =
  /(?:(?<!cu)bot|crawler|spider|scanner)\b|barracuda|proofpoint|mimecast|ciscosecureemail|\bheadlesschrome\b/i;

/**
 * A click this soon after the handover is automated, in milliseconds: an email must arrive, be seen and be read first.
 * Source: the same, "within 5 seconds of delivery? Humans are not that fast". Chosen: less than half of that, because
 * someone may wait for the link with the mailbox open.
 */
export const FIRST_CLICK_MS = 2_000;

/**
 * A click on another link of the email this soon after the last is automated, in milliseconds. Chosen: a third of what
 * is seen of programs that follow all links ("every link within 10 seconds"), because a person may go back and choose
 * another link.
 */
export const NEXT_LINK_MS = 3_000;

/** Nothing is known about the client. */
export const UNKNOWN_CLIENT: Client = { method: null, userAgent: null, isReportedMachine: false };

const since = (at: Date, before: Date | null): number =>
  before === null ? Number.POSITIVE_INFINITY : Math.abs(at.getTime() - before.getTime());

/**
 * Why an open or click is automated; null: it counts as a person's. An open soon after delivery says nothing, because
 * many emails are read on arrival. Pure. Throws nothing.
 */
export const machineReason = (action: ClientAction): MachineReason | null => {
  const { kind, method, at, url, firstUrl } = action;
  const userAgent = action.userAgent?.trim() ?? '';
  if (action.isReportedMachine) return 'reported_by_provider';
  // A browser that opens a link never uses HEAD.
  if (method === 'HEAD') return 'head';
  if (kind === 'opened' && userAgent === APPLE_PRIVACY) return 'apple_mail_privacy';
  if (kind === 'opened' && userAgent === GMAIL_PREFETCH) return 'gmail_prefetch';
  if (NAMES.test(userAgent)) return 'names_itself';
  if (kind === 'opened') return null;
  if (since(at, action.sentAt) < FIRST_CLICK_MS) return 'before_anybody_could';
  const isAnother = firstUrl !== null && url !== firstUrl;
  return isAnother && since(at, action.lastClickAt) < NEXT_LINK_MS ? 'link_after_link' : null;
};
