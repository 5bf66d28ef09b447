import type { Mutant } from '../../../core/test/mutant.ts';

const of =
  (file: string, test: string) =>
  (says: string, find: string, replace: string): Mutant => ({
    says,
    file,
    find,
    replace,
    tests: [`packages/sdk-js/src/node/${test}.test.ts`],
  });

const hooks = of('verify-webhook.ts', 'verify-webhook');
const calls = of('server-client.ts', 'server-client');
const request = of('request.ts', 'server-client');
const batches = of('batch-retry.ts', 'server-client');

/** Rules of the client of programs, for `npm run campaign -- mutants sdk-js/node`. */
export const mutants: readonly Mutant[] = [
  hooks(
    'a signature is looked at',
    'bytes.length === other.length && timingSafeEqual(bytes, other)',
    'bytes.length === other.length',
  ),
  hooks('a signature of another length is none', 'bytes.length === other.length && ', ''),
  hooks(
    'what is old is refused',
    'if (!(Math.abs(ageSeconds) <= toleranceSeconds))',
    'if (-ageSeconds > toleranceSeconds)',
  ),
  hooks('what is ahead is refused', 'Math.abs(ageSeconds)', 'ageSeconds'),
  hooks(
    'a tolerance that is no number refuses',
    'if (!(Math.abs(ageSeconds) <= toleranceSeconds))',
    'if (Math.abs(ageSeconds) > toleranceSeconds)',
  ),
  hooks(
    'any of several secrets counts',
    "(typeof secrets === 'string' ? [secrets] : secrets).map(keyOf)",
    '[secrets].flat().slice(0, 1).map(keyOf)',
  ),
  hooks('any of several signatures counts', "signatures: all('v1')", "signatures: all('v1').slice(0, 1)"),
  hooks(
    'a list without secrets is a mistake',
    "if (keys.length === 0) throw new TypeError('There is no secret to verify with.');",
    '',
  ),
  hooks(
    'a secret without a key is a mistake',
    "if (key.length === 0) throw new TypeError('A secret is whsec_ and the base64 of its key.');",
    '',
  ),
  hooks('the id is signed', 'update(`${id}.${seconds}.`)', 'update(`${id.length}.${seconds}.`)'),
  hooks('the time is signed', 'update(`${id}.${seconds}.`)', 'update(`${id}.`)'),
  hooks('other versions of signatures are none', "version === 'v1' ? [signature] : []", '[signature, version ?? ""]'),
  hooks('an id has to be there', "if (id === '' || ", 'if ('),
  hooks('names of headers have any case', 'name.toLowerCase()', 'name'),

  batches(
    'an event that is refused for good is not sent again',
    "code === 'OVERLOADED' || code === 'INTERNAL'",
    'code !== undefined',
  ),
  batches('rejected events keep their place in the batch', 'index: first.index', 'index: one.index'),
  calls('a program has no public key', "if (key.startsWith('pk_')) throw", "if (key === '') throw"),
  calls('a host is of HTTP', 'if (!/^https?:$/.test(new URL(host).protocol)) throw', "if (host === '') throw"),
  calls('a part of a path is no way out of it', '/^\\.{0,2}$/.test(value)', "value === ''"),
  calls('events have ids', "messageId: event['messageId'] ?? newId()", "messageId: event['messageId']"),
  calls('sends have a key', "...(isKeyed && { 'idempotency-key'", "...(false && { 'idempotency-key'"),
  calls('a list goes on to its last page', 'if (page.pagination.nextCursor === null) return;', 'return;'),
  calls('an event stored before is a success', "error.details['reason'] === 'duplicate'", 'false'),
  request('a call ends after three repeats', ' || failures > MAX_REPEATS', ''),
  request(
    'what may have happened goes again only where that changes nothing',
    '(isRepeatable || !UNKNOWN.has(error.status))',
    'true',
  ),
  request('a probe is not repeated', ' && !isProbe', ''),
  request('nobody waits for longer than a minute', 'if (ms > LONGEST_WAIT_MS) throw error;', ''),
  request('a signal ends a wait', "signal?.addEventListener('abort', stop, { once: true });", ''),
];
