import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { RequestView } from '../request.ts';

/** What stands for callers whose address nobody knows: they share their buckets. */
export const UNKNOWN_NETWORK = 'unknown';

/** Bits of an IPv6 address that are one client's. Source: interface, Limits. */
const NETWORK_BYTES = 8;
/** An address with a port, as some proxies write it. */
const IPV4_AND_PORT = /^([\d.]+):\d{1,5}$/;
const IN_BRACKETS = /^\[([^\]]*)\](?::\d{1,5})?$/;

const withoutPort = (text: string): string => IN_BRACKETS.exec(text)?.[1] ?? IPV4_AND_PORT.exec(text)?.[1] ?? text;

const readIpv6 = (text: string): string | null => {
  if (!ipaddr.IPv6.isValid(text)) return null;
  const address = ipaddr.IPv6.parse(text);
  // An IPv4 address in the clothes of IPv6 is that IPv4 address.
  if (address.isIPv4MappedAddress()) return address.toIPv4Address().toString();
  // The parts of an address hold no zone, so it is dropped.
  const bytes = address.toByteArray().fill(0, NETWORK_BYTES);
  return `${new ipaddr.IPv6(bytes).toString()}/64`;
};

/** IPv6 addresses that were read lately: reading one costs a tenth of a request, and a client's is the same each time. */
const known = new Map<string, string>();
const MAX_KNOWN = 10_000;
/** Characters of an address as the system writes it, with a zone. Others are read each time. */
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
 * The network that an address belongs to: an IPv4 address by itself, an IPv6 address by its /64; null for what is no address.
 * Throws nothing. Source: semantics, Rate limits, Keys.
 */
export const networkOf = (text: string): string | null => {
  if (!text.includes(':')) return isIPv4(text) ? text : null;
  return ofIpv6(text);
};

/**
 * Whom the proxies that are ours say the call is from. Each of them adds on the right whom it got it from, and the last one is
 * whom we got it from: so many are passed over, and what stands further left is the client's own word.
 */
const throughProxies = (forwarded: string, own: string | null, trustedProxies: number): string | null => {
  const hops = forwarded.split(',').slice(-trustedProxies);
  let nearest = own;
  // From the right: what is no address was written by whoever we would have believed next.
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
 * @param trustedProxies how many proxies in front of this process are ours; 0: `X-Forwarded-For` is not looked at
 */
export const clientNetwork = (request: Pick<RequestView, 'address' | 'header'>, trustedProxies: number): string => {
  const address = request.address();
  const own = address === undefined ? null : networkOf(address);
  const forwarded = trustedProxies > 0 ? request.header('x-forwarded-for') : undefined;
  const network = forwarded === undefined ? own : throughProxies(forwarded, own, trustedProxies);
  return network ?? UNKNOWN_NETWORK;
};
