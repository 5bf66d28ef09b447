import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { RequestView } from '../request.ts';

/** The network of callers with an unknown address: they share their buckets. */
export const UNKNOWN_NETWORK = 'unknown';

/** Bytes of an IPv6 address that identify one client. Source: interface, Limits. */
const NETWORK_BYTES = 8;
/** An address with a port, as some proxies write it. */
const IPV4_AND_PORT = /^([\d.]+):\d{1,5}$/;
const IN_BRACKETS = /^\[([^\]]*)\](?::\d{1,5})?$/;

const withoutPort = (text: string): string => IN_BRACKETS.exec(text)?.[1] ?? IPV4_AND_PORT.exec(text)?.[1] ?? text;

const readIpv6 = (text: string): string | null => {
  if (!ipaddr.IPv6.isValid(text)) return null;
  const address = ipaddr.IPv6.parse(text);
  // An IPv4-mapped IPv6 address counts as its IPv4 address.
  if (address.isIPv4MappedAddress()) return address.toIPv4Address().toString();
  // The bytes of an address have no zone, so the zone is dropped.
  const bytes = address.toByteArray().fill(0, NETWORK_BYTES);
  return `${new ipaddr.IPv6(bytes).toString()}/64`;
};

/** Cache of recently parsed IPv6 addresses: parsing one costs a tenth of a request, and a client's address repeats. */
const known = new Map<string, string>();
const MAX_KNOWN = 10_000;
/** Longest cached address, in characters, with a zone. Longer texts are parsed each time. */
const MAX_KNOWN_CHARACTERS = 64;

const ofIpv6 = (text: string): string | null => {
  const found = known.get(text);
  if (found !== undefined) return found;
  const network = readIpv6(text);
  if (network === null || text.length > MAX_KNOWN_CHARACTERS) return network;
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(text, network);
  return network;
};

/**
 * The network of an address: an IPv4 address itself, or the /64 of an IPv6 address; null if the text is no address.
 * Throws nothing. Source: semantics, Rate limits, Keys.
 */
export const networkOf = (text: string): string | null => {
  if (!text.includes(':')) return isIPv4(text) ? text : null;
  return ofIpv6(text);
};

/**
 * The client's address according to the trusted proxies. Each proxy appends the address that it received the request
 * from, and the last proxy is the connection itself. Addresses further left are the client's own claim.
 */
const throughProxies = (forwarded: string, own: string | null, trustedProxies: number): string | null => {
  const hops = forwarded.split(',').slice(-trustedProxies);
  let nearest = own;
  // From the right: a malformed entry was written by the next hop to trust.
  for (const hop of hops.toReversed()) {
    const network = networkOf(withoutPort(hop.trim()));
    if (network === null) return nearest;
    nearest = network;
  }
  return nearest;
};

/**
 * The client's network, or UNKNOWN_NETWORK.
 *
 * @param trustedProxies number of your proxies in front of this process; 0: `X-Forwarded-For` is ignored
 */
export const clientNetwork = (request: Pick<RequestView, 'address' | 'header'>, trustedProxies: number): string => {
  const address = request.address();
  const own = address === undefined ? null : networkOf(address);
  const forwarded = trustedProxies > 0 ? request.header('x-forwarded-for') : undefined;
  const network = forwarded === undefined ? own : throughProxies(forwarded, own, trustedProxies);
  return network ?? UNKNOWN_NETWORK;
};
