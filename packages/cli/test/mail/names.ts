// The network of the test: addresses on the loopback device that no rule of a mail server takes for this machine.

/** Each on a /32 of the loopback device, which the namespace has for itself. */
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
/** Octets of a mail that the receiver takes. */
export const RECEIVER_LIMIT = 60_000;

/** Programs of this test, with what it needs each for. */
export const isMissing = (program: string): boolean =>
  (process.env['MAIL_MISSING'] ?? '').split(/\s+/).includes(program);
