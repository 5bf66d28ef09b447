import { BlockList, isIP } from 'node:net';

// Unicast addresses of the public Internet. IPv6: global unicast only (RFC 4291, 2.4), which excludes transition
// prefixes such as `::ffff:0:0:0/96` (RFC 7915) and `64:ff9b::/96` (RFC 6052).
const UNICAST = ['0.0.0.0/0', '2000::/3'];

// Private, local, shared, documentation, benchmark, transition, multicast and reserved networks within those. Source:
// IANA's special-purpose address registries for IPv4 and IPv6; transports, Address rules.
const SPECIAL_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
const SPECIAL_IPV6 = [
  // Protocol assignments, including Teredo (2001::/32) and ORCHID.
  '2001::/23',
  '2001:db8::/32',
  // 6to4, which routes to an IPv4 address.
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
];

/** Decides which addresses may be connected to if a tenant or a third party chose the host. */
export type AddressRules = {
  /** False for a text that is not a plain address, such as one with a zone. IPv4 inside IPv6 is checked as IPv4. */
  allows(address: string): boolean;
};

/** A connection that the address rules forbid. Neither the message nor a field contains the host or the address. */
export class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError';
  readonly code = 'ERR_SSRF_BLOCKED';
  constructor() {
    super('The host leads to an address that may not be connected to.');
  }
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

const networks = (cidrs: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [address = '', bits, ...extra] = cidr.split('/');
    const version = isIP(address);
    const maxBits = version === 6 ? 128 : 32;
    const prefix = bits === undefined ? maxBits : Number(bits);
    const isPrefix = bits === undefined || (/^\d{1,3}$/.test(bits) && prefix <= maxBits);
    if (version === 0 || !isPrefix || extra.length > 0 || address.includes('%'))
      throw new TypeError('A network is written as an address, a slash and the number of its leading bits.');
    list.addSubnet(address, prefix, familyOf(address));
  }
  return list;
};

const unicast = networks(UNICAST);
const specialPurpose = networks([...SPECIAL_IPV4, ...SPECIAL_IPV6]);

const LOOPBACK = ['127.0.0.1', '::1'];
/** Names of the local machine. Source: RFC 6761, 6.3, and the hosts files of Debian and Fedora. */
const LOCAL_NAME = /(?:^|\.)localhost$|^localhost[46]?(?:\.localdomain[46]?)?$|^ip6-(?:localhost|loopback)$/;
/** Maximum characters of one label of a name. Source: RFC 1035, 2.3.4. */
const MAX_LABEL = 63;

/**
 * True for a host that can never be connected to, whatever DNS answers: an empty host, an address that the rules forbid
 * in any spelling that a resolver accepts (`127.1`, `0x7f000001`), or a name of the local machine. Throws nothing and
 * resolves nothing.
 *
 * @param host a name or an address, with or without the brackets of a URL
 */
export const isUnreachable = (host: string, rules: AddressRules): boolean => {
  const url = URL.parse(`http://${isIP(host) === 6 ? `[${host}]` : host}/`);
  const name = url?.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '') ?? '';
  if (isIP(name) !== 0) return !rules.allows(name);
  if (LOCAL_NAME.test(name)) return !LOOPBACK.some((address) => rules.allows(address));
  return name.split('.').some((label) => label === '' || label.length > MAX_LABEL);
};

/**
 * Rules that allow only addresses within these networks.
 *
 * @throws TypeError for an invalid network
 */
export const onlyNetworks = (cidrs: readonly string[]): AddressRules => {
  const listed = networks(cidrs);
  return {
    allows: (address) => isIP(address) !== 0 && !address.includes('%') && listed.check(address, familyOf(address)),
  };
};

/** Rules that allow the local machine only. */
export const loopbackRules: AddressRules = onlyNetworks(['127.0.0.0/8', '::1/128']);

/**
 * The rules for hosts chosen by tenants or third parties: global unicast addresses without special-purpose networks.
 *
 * @param allowCidrs networks that are allowed in addition, such as `10.1.0.0/16`, `fd00::/8` or one address; they take
 * precedence
 * @throws TypeError for an invalid network
 */
export const addressRules = (allowCidrs: readonly string[] = []): AddressRules => {
  const allowed = networks(allowCidrs);
  return {
    allows: (address) => {
      if (isIP(address) === 0 || address.includes('%')) return false;
      const family = familyOf(address);
      return (
        allowed.check(address, family) || (unicast.check(address, family) && !specialPurpose.check(address, family))
      );
    },
  };
};
