import { type AddressRules, isUnreachable } from './addresses.ts';

/** Ports below 1024 that a URL may name. Source: transports, Address rules. */
const LOW_PORTS = [80, 443];
const FIRST_HIGH_PORT = 1024;
const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

export type UrlRules = {
  /** Rejects http. */
  readonly httpsOnly?: boolean | undefined;
  /** Allowed ports. Absent: 80, 443 and 1024 upward. */
  readonly allowedPorts?: readonly number[] | undefined;
  /** Allowed hosts, each a name or `*.` and a domain for every name below it. Absent: any. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Rejects hosts that these rules make unreachable. Absent: hosts are checked when a connection is made. */
  readonly addresses?: AddressRules | undefined;
};

/**
 * True if a host is in the list. `*.example.test` matches every name below example.test, but not example.test.
 *
 * @param host a name or address; case and one trailing dot are ignored
 */
export const hostMatches = (host: string, allowed: readonly string[]): boolean => {
  const name = host.toLowerCase().replace(/\.$/, '');
  return allowed.some((entry) => {
    const pattern = entry.toLowerCase();
    return pattern.startsWith('*.')
      ? name.endsWith(pattern.slice(1)) && name.length >= pattern.length
      : name === pattern;
  });
};

/**
 * What is wrong with a URL chosen by a tenant or a third party, without resolving anything: one sentence without the
 * URL, or null. Its addresses are checked when a connection is made. Throws nothing.
 */
export const urlProblem = (
  url: URL,
  { httpsOnly, allowedPorts, allowedHosts, addresses }: UrlRules = {},
): string | null => {
  const schemePort = DEFAULT_PORTS[url.protocol];
  if (schemePort === undefined) return 'The URL is neither https nor http.';
  if (httpsOnly && url.protocol !== 'https:') return 'The URL is not https.';
  if (url.username !== '' || url.password !== '') return 'The URL has a user name or a password in it.';
  const port = url.port === '' ? schemePort : Number(url.port);
  const isAllowedPort = allowedPorts
    ? allowedPorts.includes(port)
    : LOW_PORTS.includes(port) || port >= FIRST_HIGH_PORT;
  if (!isAllowedPort) return 'The port of the URL is not one that may be used.';
  if (allowedHosts && !hostMatches(url.hostname, allowedHosts))
    return 'The host of the URL is not one of those allowed.';
  if (addresses && isUnreachable(url.hostname, addresses))
    return 'The host of the URL is an address that may not be connected to.';
  return null;
};
