/** Where a request comes from. */
export type ClientInfo = {
  /** IP address of the client; null: unknown. */
  readonly ip: string | null;
  readonly userAgent: string | null;
  /** Aborted when the client disconnects: its task then leaves the hash queue. */
  readonly signal?: AbortSignal | undefined;
};

/** The client of a call; members that the call leaves out are unknown. Throws nothing. */
export const clientOf = ({ ip = null, userAgent = null, signal }: Partial<ClientInfo> = {}): ClientInfo => ({
  ...{ ip, userAgent, signal },
});

/** The /24 of an IPv4 address, the /48 of an IPv6 address or network; null for anything else. Throws nothing. */
export const ipNetOf = (ip: string | null): string | null => {
  if (ip === null) return null;
  const v4 = /^(?:::ffff:)?(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.\d{1,3}$/i.exec(ip);
  if (v4) return `${v4[1]}.${v4[2]}.${v4[3]}.0/24`;
  if (!ip.includes(':')) return null;
  const [head = '', tail = ''] = (ip.split(/[%/]/)[0] ?? '').split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === '' ? [] : tail.split(':');
  const zeros = ip.includes('::') ? Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0') : [];
  const groups = [...first, ...zeros, ...last].slice(0, 3);
  return groups.length === 3 && groups.every((group) => /^[\da-f]{1,4}$/i.test(group))
    ? `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/48`
    : null;
};
