import { BlockList, isIP } from 'node:net';

// Unicast addresses of the public Internet. IPv6: all that is global unicast (RFC 4291, 2.4), so that transition prefixes
// such as `::ffff:0:0:0/96` (RFC 7915) and `64:ff9b::/96` (RFC 6052) are refused without being named.
const UNICAST = ['0.0.0.0/0', '2000::/3'];

// Private, local, shared, documentation, benchmark, transition, multicast and reserved networks within those.
// Source: IANA's special-purpose address registries for IPv4 and IPv6; transports, Address rules.
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
  // Protocol assignments, Teredo (2001::/32) and ORCHID among them.
  '2001::/23',
  '2001:db8::/32',
  // 6to4, which leads to an IPv4 address.
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
];

/** Says which addresses may be connected to where a tenant or a stranger chose the host. */
export type AddressRules = {
  /** False for what is no address in its usual form, such as one with a zone. IPv4 inside IPv6 is judged as IPv4. */
  allows(address: string): boolean;
};

/** A connection that the address rules refuse. Neither the message nor a field holds the host or the address. */
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
    const [address = '', bits, ...rest] = cidr.split('/');
    const version = isIP(address);
    const widest = version === 6 ? 128 : 32;
    const prefix = bits === undefined ? widest : Number(bits);
    const isPrefix = bits === undefined || (/^\d{1,3}$/.test(bits) && prefix <= widest);
    if (version === 0 || !isPrefix || rest.length > 0 || address.includes('%'))
      throw new TypeError('A network is written as an address, a slash and the number of its leading bits.');
    list.addSubnet(address, prefix, familyOf(address));
  }
  return list;
};

const unicast = networks(UNICAST);
const special = networks([...SPECIAL_IPV4, ...SPECIAL_IPV6]);

const LOOPBACK = ['127.0.0.1', '::1'];
/** Names of this machine. Source: RFC 6761, 6.3, and the hosts files of Debian and Fedora. */
const LOCAL_NAME = /(?:^|\.)localhost$|^localhost[46]?(?:\.localdomain[46]?)?$|^ip6-(?:localhost|loopback)$/;
/** Of one label of a name. Source: RFC 1035, 2.3.4. */
const MAX_LABEL = 63;

/**
 * True for a host that nobody can be connected to here, wherever names lead: no host at all, an address that the rules
 * refuse, in any spelling that a resolver takes for one (`127.1`, `0x7f000001`), or this machine by its name. Throws
 * nothing, and looks nothing up.
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
 * Rules that allow only addresses within these networks, and no other public ones.
 *
 * @throws TypeError when one of them is no network
 */
export const onlyNetworks = (cidrs: readonly string[]): AddressRules => {
  const listed = networks(cidrs);
  return {
    allows: (address) => isIP(address) !== 0 && !address.includes('%') && listed.check(address, familyOf(address)),
  };
};

/** This machine. Throws nothing. */
export const loopbackRules: AddressRules = onlyNetworks(['127.0.0.0/8', '::1/128']);

/**
 * The rules for hosts that somebody else chose: global unicast addresses without special-purpose networks.
 *
 * @param allowCidrs networks that are allowed all the same, as `10.1.0.0/16`, `fd00::/8` or one address; they win
 * @throws TypeError when one of them is no network
 */
export const addressRules = (allowCidrs: readonly string[] = []): AddressRules => {
  const allowed = networks(allowCidrs);
  return {
    allows: (address) => {
      if (isIP(address) === 0 || address.includes('%')) return false;
      const family = familyOf(address);
      return allowed.check(address, family) || (unicast.check(address, family) && !special.check(address, family));
    },
  };
};
