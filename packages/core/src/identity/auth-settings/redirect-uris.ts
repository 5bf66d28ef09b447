// Addresses that a sign-in may redirect to. A target must equal a registered one, so that no code or token reaches a page
// that the project does not know.

/** Redirect addresses of a project, and characters of each. Source: auth settings; the second number is chosen. */
export const MAX_REDIRECT_URIS = 50;
export const MAX_REDIRECT_CHARACTERS = 2_048;

/** Schemes that run or read something instead of opening an app, and those of servers other than web servers. */
const REFUSED_SCHEMES: ReadonlySet<string> = new Set(
  ['javascript', 'data', 'file', 'blob', 'vbscript', 'about', 'filesystem', 'view-source', 'ws', 'wss', 'ftp'].map(
    (name) => `${name}:`,
  ),
);
/** Hosts of this machine. Source: RFC 8252, section 7.3. */
const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
/** The URL parser drops or rewrites these, so that the text and the URL would differ. */
const REFUSED_CHARACTERS = /[\s\p{Cc}\p{Cf}\p{Cs}\\#]/u;
/** The URL parser also reads `https:evil.example` and `https:///evil.example`. */
const WEB_URL = /^https?:\/\/[^/?@]+(?:[/?]|$)/i;
const USER_INFO = /^[a-z][a-z\d+.-]*:\/\/[^/?]*@/i;

const isWeb = ({ protocol }: URL): boolean => protocol === 'https:' || protocol === 'http:';
const isLoopback = ({ hostname }: URL): boolean => LOOPBACK_HOSTS.has(hostname);

const parsed = (input: unknown): URL | null => {
  if (typeof input !== 'string' || input.length > MAX_REDIRECT_CHARACTERS) return null;
  if (REFUSED_CHARACTERS.test(input) || USER_INFO.test(input)) return null;
  const url = URL.parse(input);
  if (!url || REFUSED_SCHEMES.has(url.protocol)) return null;
  if (!isWeb(url)) return url;
  return WEB_URL.test(input) && (url.protocol === 'https:' || isLoopback(url)) ? url : null;
};

/**
 * Reads an address that may be registered: `https`, `http` on this machine, or a scheme of an app such as
 * `com.example.app:/signed-in`.
 *
 * @returns its serialised form, in which addresses are compared; null for user information, a fragment, white space,
 * controls, a backslash, and schemes such as `javascript`. Throws nothing. Source: authentication design, Redirect targets.
 */
export const redirectUriOf = (input: unknown): string | null => {
  const href = parsed(input)?.href;
  return href !== undefined && href.length <= MAX_REDIRECT_CHARACTERS ? href : null;
};

// Apps on this machine listen on a port that the system chooses. Source: RFC 8252, section 7.3.
const comparable = (url: URL): string => {
  if (url.protocol !== 'http:' || !isLoopback(url)) return url.href;
  const copy = new URL(url);
  copy.port = '';
  return copy.href;
};

/**
 * Finds the target of a redirect among the registered addresses: scheme, host, port, path and query must be equal. On this
 * machine any port of `http` is accepted.
 *
 * @param registered from `redirectUriOf`
 * @returns the serialised target to store and to send; null if it is not registered. Throws nothing.
 */
export const registeredRedirectOf = (input: unknown, registered: readonly string[]): string | null => {
  const url = parsed(input);
  if (!url) return null;
  const target = comparable(url);
  const isRegistered = registered.some((text) => {
    const other = parsed(text);
    return other !== null && comparable(other) === target;
  });
  return isRegistered ? url.href : null;
};

/**
 * Adds parameters to a registered target, behind the query that it may have. Throws nothing.
 *
 * @param target from `registeredRedirectOf`, so without a fragment
 */
export const withRedirectParams = (target: string, params: Readonly<Record<string, string>>): string => {
  const query = new URLSearchParams(params).toString();
  if (query === '') return target;
  const separator = !target.includes('?') ? '?' : /[?&]$/.test(target) ? '' : '&';
  return `${target}${separator}${query}`;
};
