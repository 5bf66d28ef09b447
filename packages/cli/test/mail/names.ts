// The network of the test: loopback addresses that mail servers do not treat as local.

/** Addresses, each a /32 of the loopback device of the namespace. */
export const HOSTS = {
  relay: '198.51.100.1',
  receiver: '198.51.100.2',
  exim: '198.51.100.3',
  names: '198.51.100.53',
  /** Nothing listens there. */
  closed: '198.51.100.9',
} as const;

export const SUBMISSION = 587;
export const LOGIN = { user: 'shop', password: 'relay-password' } as const;
export const BOUNCE_DOMAIN = 'bounces.shop.test';
/** Maximum bytes of an email that the receiver accepts. */
export const RECEIVER_LIMIT = 60_000;

/** Required programs and their purpose. */
export const isMissing = (program: string): boolean =>
  (process.env['MAIL_MISSING'] ?? '').split(/\s+/).includes(program);
