import type { Line } from './report.ts';
import type { Service } from './service.ts';

/** A request that must be rejected, and the expected error. */
type Refusal = {
  readonly what: string;
  readonly path: '/events' | '/events/batch' | '/push/tokens' | '/push/send' | '/email/send' | '/sms/send';
  readonly body: string;
  readonly status: number;
  readonly code: string;
  /** The key of `details.fieldErrors`; for an oversized body, `max` of the details. */
  readonly names: string;
};

const event = (properties: unknown, envelope: object = { userId: 'refused' }): string =>
  JSON.stringify({ module: 'github', eventType: 'github.refused', properties, ...envelope });

/** Nested objects; the innermost is empty. */
const nested = (levels: number): object => (levels === 1 ? {} : { in: nested(levels - 1) });

const invalid = (what: string, names: string, body: string): Refusal => ({
  what,
  path: '/events',
  body,
  status: 400,
  code: 'VALIDATION_ERROR',
  names,
});
const unsent = (what: string, names: string, path: Refusal['path'], body: object): Refusal => ({
  ...invalid(what, names, JSON.stringify(body)),
  path,
});
const tooLarge = (what: string, path: Refusal['path'], maxBytes: number, body: string): Refusal => ({
  what,
  path,
  body,
  status: 413,
  code: 'PAYLOAD_TOO_LARGE',
  names: `max ${maxBytes}`,
});

const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`property_${index}`, index]));
const filler = 'x'.repeat(1_000);

/** One limit or rule each. Source: interface, Limits; semantics, JSON depth and numbers; contract, Ingest and Sends. */
const REFUSALS: readonly Refusal[] = [
  invalid('101 properties', 'properties', event(many)),
  invalid('an array of 1,001 items', 'properties.commits', event({ commits: Array.from({ length: 1_001 }, () => 0) })),
  // The body is level 1, so its properties begin at level 2.
  invalid('JSON of 33 levels', 'body', event(nested(32))),
  // Written by hand: neither has a JavaScript value that would print it.
  invalid('a key __proto__', 'properties.__proto__', event({}).replace('{}', '{"__proto__":{"isAdmin":true}}')),
  invalid('the number 1e400', 'properties.additions', event({}).replace('{}', '{"additions":1e400}')),
  invalid('neither userId nor anonymousId', 'userId', event({}, {})),
  invalid('an eventType of 129 characters', 'eventType', event({}, { userId: 'refused', eventType: 'x'.repeat(129) })),
  unsent('the token of a third-party push bridge', 'token', '/push/tokens', {
    platform: 'ios',
    token: 'ExponentPushToken[refused]',
  }),
  unsent('a push without recipients', 'userIds', '/push/send', { title: 'Refused' }),
  unsent('an SMS to an incomplete number', 'to', '/sms/send', { to: '5550100', body: 'Refused' }),
  unsent('an email to an address and to users', 'to', '/email/send', {
    to: 'refused@example.com',
    userIds: ['refused'],
    subject: 'Refused',
    text: 'Refused',
  }),
  tooLarge('an event over 32 KB', '/events', 32_768, event(Array.from({ length: 33 }, () => filler))),
  tooLarge('a batch over 64 KB', '/events/batch', 65_536, `[${event(Array.from({ length: 66 }, () => filler))}]`),
];

type Failure = {
  readonly error?: {
    readonly code: string;
    readonly details?: { readonly max?: number; readonly fieldErrors?: Readonly<Record<string, readonly string[]>> };
  };
};

const namedBy = ({ error }: Failure): string => {
  const { max, fieldErrors = {} } = error?.details ?? {};
  return max === undefined ? Object.keys(fieldErrors).join(' ') : `max ${max}`;
};

/** Sends each invalid request and checks status, code and the named field. */
export const refusalLines = async ({ request }: Service): Promise<Line[]> => {
  const lines: Line[] = [];
  for (const { what, path, body, status, code, names } of REFUSALS) {
    const answer = await request('POST', path, body);
    const failure: Failure = JSON.parse(answer.text);
    lines.push({
      group: 'refused',
      what,
      expected: `${status} ${code} ${names}`,
      got: `${answer.status} ${failure.error?.code} ${namedBy(failure)}`,
    });
  }
  return lines;
};
