// The most expensive requests that a public key can send: bodies within their caps that cause as much work as possible.
// Used by a test that counts operations, and by the bench, which measures time.

export type HostileRequest = { readonly says: string; readonly path: string; readonly body: string };

/** Number of profiles that must be full before the requests are sent. */
export const FULL_PEOPLE = 60;
const FULL_TRAITS = 1_000;
/** Traits of one identify call that stay below 16 KB. */
const TRAITS_PER_CALL = 200;
const TINY = 90_000;
const BATCH = 500;

const many = (count: number, make: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => make(at)).join(',');
const event = (rest: string): string => `{"module":"m","eventType":"e",${rest}}`;
const batch = (count: number, make: (at: number) => string): string => `{"batch":[${many(count, make)}]}`;
const tiny = many(TINY, (at) => `"${at.toString(36)}":1`);

/** The identify calls that fill the profile of `full-N` to its limits. */
export const fillingCalls = (person: number): readonly HostileRequest[] =>
  Array.from({ length: FULL_TRAITS / TRAITS_PER_CALL }, (_, call) => ({
    says: 'fills a profile',
    path: '/identify',
    body: `{"userId":"full-${person}","traits":{${many(
      TRAITS_PER_CALL,
      (at) => `"t${call * TRAITS_PER_CALL + at}":"${'x'.repeat(52)}"`,
    )}}}`,
  }));

/** Each of them is answered: most with 200, some with 400 or 404, none with 500. */
export const hostileRequests: readonly HostileRequest[] = [
  {
    says: '500 events that change one trait of a full profile',
    path: '/events/batch',
    body: batch(BATCH, (at) => event(`"userId":"full-0","traits":{"t1":${at}}`)),
  },
  {
    says: '500 events that find no room in a full profile',
    path: '/events/batch',
    body: batch(BATCH, (at) => event(`"userId":"full-0","traits":{"z${at}":"${'x'.repeat(20)}"}`)),
  },
  {
    says: '500 events that unset the traits of a full profile',
    path: '/events/batch',
    body: batch(BATCH, (at) => event(`"userId":"full-1","traits":{"t${at}":null}`)),
  },
  {
    says: 'events of many people whose profiles are full',
    path: '/events/batch',
    body: batch(2 * FULL_PEOPLE, (at) => event(`"userId":"full-${at % FULL_PEOPLE}","traits":{"t3":${at}}`)),
  },
  {
    says: '500 events without a right field',
    path: '/events/batch',
    body: batch(BATCH, () => '{"module":1,"eventType":1,"properties":1,"traits":1,"userId":1,"timestamp":1}'),
  },
  {
    says: 'a batch of far too many events',
    path: '/events/batch',
    body: batch(20_000, () => '{}'),
  },
  {
    says: '500 people of one batch',
    path: '/events/batch',
    body: batch(BATCH, (at) => event(`"userId":"p${at}","anonymousId":"a${at}","traits":{"a":1}`)),
  },
  {
    says: 'an event of thousands of keys',
    path: '/events',
    body: event(`"userId":"u","context":{${many(3_200, (at) => `"${at.toString(36)}":1`)}}`),
  },
  { says: '90,000 tiny traits', path: '/identify', body: `{"userId":"u","traits":{${tiny}}}` },
  { says: '90,000 tiny members of one trait', path: '/identify', body: `{"userId":"u","traits":{"a":{${tiny}}}}` },
  {
    says: '90,000 tiny members of a context',
    path: '/identify',
    body: `{"userId":"u","traits":{},"context":{${tiny}}}`,
  },
  { says: '90,000 unknown keys', path: '/identify', body: `{"userId":"u","traits":{},${tiny}}` },
  { says: '90,000 bad trait names', path: '/identify', body: `{"userId":"u","traits":{"":1,${tiny}}}` },
  {
    says: '80,000 numbers that are not finite',
    path: '/identify',
    body: `{"userId":"u","traits":{${many(80_000, (at) => `"${at.toString(36)}":1e999`)}}}`,
  },
  {
    says: '300,000 empty lists in a trait',
    path: '/identify',
    body: `{"userId":"u","traits":{"a":[${many(300_000, () => '[]')}]}}`,
  },
  {
    says: '100,000 texts that have to be made storable',
    path: '/identify',
    body: `{"userId":"u","traits":{"a":[${many(100_000, () => '"\\u0000"')}]}}`,
  },
  {
    says: 'one trait of a million escapes',
    path: '/identify',
    body: `{"userId":"u","traits":{"a":"${'\\u0001'.repeat(170_000)}"}}`,
  },
  {
    says: 'a userId of 250,000 characters',
    path: '/identify',
    body: `{"userId":"${'\u{1f600}'.repeat(250_000)}","traits":{}}`,
  },
  { says: 'a list of 500,000 numbers for a body', path: '/identify', body: `[${many(500_000, () => '1')}]` },
  {
    says: 'a device with 90,000 unknown keys',
    path: '/push/tokens',
    body: `{"token":"fcm:hostile","platform":"android",${tiny}}`,
  },
  {
    says: 'a device whose token is a megabyte of JSON',
    path: '/push/tokens',
    body: JSON.stringify({
      platform: 'web',
      token: `{"endpoint":"https://push.test/","keys":{${many(60_000, (at) => `"${at.toString(36)}":1`)}}}`,
    }),
  },
  { says: 'a report with 90,000 unknown keys', path: '/push/track-open', body: `{"sendId":"s",${tiny}}` },
  {
    says: 'a token of an activity with 90,000 unknown keys',
    path: '/push/live-activities/start-token',
    body: `{"userId":"u",${tiny}}`,
  },
  { says: 'a crossing with 90,000 unknown keys', path: '/push/geofences/event', body: `{"geofenceId":"g",${tiny}}` },
];
