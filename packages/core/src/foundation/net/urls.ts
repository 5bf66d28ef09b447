import { type AddressRules, isUnreachable } from './addresses.ts';

/** Ports below 1024 that a URL may name. Source: transports, Address rules. */
const LOW_PORTS = [80, 443];
const FIRST_HIGH_PORT = 1024;
const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

export type UrlRules = {
  /** Refuses http. */
  readonly httpsOnly?: boolean | undefined;
  /** Exactly these ports; absent: 80, 443 and 1024 upward. */
  readonly allowedPorts?: readonly number[] | undefined;
  /** Exactly these hosts, each a name or `*.` and a domain for every name below it; absent: any. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Refuses hosts that these let nobody be connected to; absent: hosts are judged when a connection is made. */
  readonly addresses?: AddressRules | undefined;
};

/**
 * True when a host is one of those listed. `*.example.test` stands for every name below example.test and not for itself.
 *
 * @param host a name or address; letters of either case and one dot at the end make no difference
 */
export const hostMatches = (host: string, allowed: readonly string[]): boolean => {
  const name = host.toLowerCase().replace(/\.$/, '');
  return allowed.some((entry) => {
    const wanted = entry.toLowerCase();
    return wanted.startsWith('*.') ? name.endsWith(wanted.slice(1)) && name.length >= wanted.length : name === wanted;
  });
};

/**
 * What is wrong with a URL that somebody else chose, before anything is looked up: one sentence without the URL, or
 * null. Where the name of its host leads to is judged when a connection is made. Throws nothing.
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
  const isOpen = allowedPorts ? allowedPorts.includes(port) : LOW_PORTS.includes(port) || port >= FIRST_HIGH_PORT;
  if (!isOpen) return 'The port of the URL is not one that may be used.';
  if (allowedHosts && !hostMatches(url.hostname, allowedHosts))
    return 'The host of the URL is not one of those allowed.';
  if (addresses && isUnreachable(url.hostname, addresses))
    return 'The host of the URL is an address that may not be connected to.';
  return null;
};
