import type { Mutant } from '../../core/test/mutant.ts';

/** Says rules of one file, each beside the tests that are nearest to it. */
const of =
  (file: string, ...tests: readonly string[]) =>
  (says: string, find: string, replace: string): Mutant => ({
    says,
    file,
    find,
    replace,
    tests: tests.map((name) => `packages/sdk-js/src/${name}.test.ts`),
  });

const queue = of('queue.ts', 'storage', 'departure');
const retry = of('retry.ts', 'retry', 'delivery');
const batches = of('batches.ts', 'client');
const delivery = of('delivery.ts', 'delivery', 'client', 'rejected-events');
const departure = of('departure.ts', 'departure');
const consent = of('client.ts', 'storage');
const client = of('client.ts', 'client', 'delivery');
const tabs = of('client.ts', 'delivery', 'departure');
const auto = of('auto/auto-track.ts', 'auto/auto-track');

/** Rules of the client of pages, for `npm run campaign -- mutants sdk-js`. */
export const mutants: readonly Mutant[] = [
  queue('no more entries are kept than that', 'index >= maxEntries() || room < 0', 'room < 0'),
  queue('no more than 256 KiB are kept', 'index >= maxEntries() || room < 0', 'index >= maxEntries()'),
  queue('the newest entry is kept', 'index > 0 && (index', '(index'),
  queue('a drop is told', 'report(new ApiError(0, code));', ''),
  queue('what a beacon took long ago goes no more', '> FORGOTTEN_AFTER_MS', '> Number.POSITIVE_INFINITY'),
  queue('what nobody can read is dropped', "drop(name, 'storage_corrupt');", ''),
  of('slots.ts', 'storage')(
    'what a storage refuses is kept in memory',
    'found.setItem(prefix + name, value);\n        memory.delete(name);',
    'memory.delete(name);\n        found.setItem(prefix + name, value);',
  ),
  of('slots.ts', 'storage')('what a site keeps there is not ours', 'name.startsWith(prefix)', 'name !== prefix'),

  retry('a quota is no ordinary limit', "if (reason === 'quota') return reason;", ''),
  retry('a duplicate is a success', "if (reason === 'duplicate') return null;", ''),
  retry('a call under way is waited for', "reason === 'idempotency_in_progress' || ", ''),
  retry('what is too large is split', "if (status === 413) return 'split';", ''),
  retry('408 is waited out', '[0, 408, 429]', '[0, 429]'),
  retry('no answer is waited out', '[0, 408, 429]', '[408, 429]'),
  retry('waits grow to a minute', 'Math.min((FIRST_WAIT_MS / 2) * 2 ** failures, LONGEST_WAIT_MS)', 'FIRST_WAIT_MS'),
  retry('no wait is longer than a minute', 'LONGEST_WAIT_MS) *', 'Number.POSITIVE_INFINITY) *'),
  retry('pages do not all come again at once', '(1 - JITTER + 2 * JITTER * random)', '1'),
  retry('the service says when to come again', "Number(details['retryAfterSeconds'] ?? 0) * 1_000", '0'),

  batches('bytes are counted, not characters', 'new TextEncoder().encode(text).length', 'text.length'),
  batches('a batch has at most 100 events', 'index >= most || ', ''),
  batches('a batch has at most 60 KiB', ' || (index > 0 && bytes > MAX_BATCH_BYTES)', ''),
  batches('a call ends the batch before it', "kind === 'identify' || ", ''),

  delivery('tabs take turns', 'slots.isShared() ? g.navigator?.locks : undefined', 'undefined'),
  delivery('a browser that gives no lock sends all the same', 'if (!isMine) await drain();', ''),
  delivery('nothing is tried offline', "if (g.navigator?.onLine === false) throw new ApiError(0, 'network');", ''),
  delivery('a wait holds for whatever comes meanwhile', 'if (left > 0) throw postpone(left, lastError);', ''),
  delivery('a batch is halved once', ' && !most)', ')'),
  delivery('a quota is told once', 'if (!isQuotaTold) report(error);', 'report(error);'),
  delivery('a quota costs no event of a page', "queue.remove(due().filter(({ kind }) => kind === 'auto'));", ''),
  delivery('a clock that was set back ends a pause', 'left <= HOUR_MS ? left : 0', 'left'),
  delivery('nobody waits for a call for ever', 'if (failures >= PATIENCE) giveUp(error);', ''),
  delivery('a call that found no network stays', 'if (error?.status) settle', 'if (error) settle'),
  delivery('nobody waits for a quota', 'if (pausedMs() > 0) giveUp(error);', ''),
  delivery('what another page sent has an outcome', 'giveUp();', ''),
  delivery('waits begin anew after a success', '      failures = 0;\n', ''),
  delivery('a rejected event is told', 'settle([entry], code && new', 'settle([entry], code && code === "" && new'),
  delivery('an event that is to come again stays', "if (code === 'OVERLOADED' || (", "if (code === 'NEVER' || ("),
  delivery('an event that a service fails over is given up at last', ' && failures < MOST_FAILURES', ''),
  delivery('events that are to come again wait', 'if (again) throw new ApiError(503, again);', ''),
  delivery(
    'what was queued at the end of a run is waited for',
    '(due().length > 0 ? flush() : undefined)',
    'undefined',
  ),
  delivery('a closed client sends nothing more', 'head && !isStopped;', 'head;'),

  consent(
    'while consent is pending nothing is stored',
    "slots.move(consent === 'granted' ? localArea() : null);",
    'slots.move(localArea());',
  ),
  consent(
    'while consent is pending little is kept',
    "consent === 'pending' ? Math.min(MAX_PENDING, maxQueue) : maxQueue",
    'maxQueue',
  ),
  consent('while consent is pending nothing is sent', "if (consent !== 'granted') return [];", ''),
  consent('a denial drops what comes', "consent === 'denied' || (kind === 'auto'", "(kind === 'auto'"),
  consent('a denial clears the storage', '      slots.move(localArea());\n      clear();\n', ''),
  consent('a privacy signal counts where that was asked for', 'options.respectGpc && ', ''),
  consent(
    'nobody is named before there is consent',
    "...(consent === 'granted' && { anonymousId: anonymousId() }), ",
    'anonymousId: anonymousId(), ',
  ),
  of('client.ts', 'auto/auto-track')(
    'a page made ahead says nothing',
    " && g.document?.prerendering ? 'pending'",
    " ? 'granted'",
  ),
  of('client.ts', 'auto/auto-track')(
    'a page made ahead is heard when it is seen',
    'on(SHOWN, () => setConsent(asked), true);',
    '',
  ),
  auto('a page made ahead is no view', 'if (document.prerendering) {', 'if (document.prerendering === null) {'),
  auto('what is to be ignored is', ' || elements.some((element) => element.matches(IGNORED))', ''),
  auto('a session ends after half an hour', 'now - last >= SESSION_GAP_MS', 'now - last > SESSION_GAP_MS'),
  auto('pages share a session', 'const last = Number(slots.get(SLOT));', 'const last = active;'),

  client(
    'a page has no secret key',
    "if (g.window && key.startsWith('sk_')) throw new TypeError('Secret key in a browser.');",
    '',
  ),
  client(
    'a person goes out behind what was before',
    'due().length > 0) flushSoon();',
    'due().length < 0) flushSoon();',
  ),
  client('calls give up after three retries', 'failures > RETRIES || ', ''),
  client('calls repeat only what may pass', '![500, 502, 503].includes(status)', 'false'),
  client('full batches go at once', 'freshEvents < flushAt && ', ''),
  client('so do large ones', ' && freshBytes < MAX_BATCH_BYTES', ''),
  tabs(
    'a tab leaves fresh events to their own',
    'if (isOthers && Math.abs(now() - timeOfId(id)) < OTHERS_AFTER_MS) return false;',
    '',
  ),
  tabs(
    'what a beacon took waits until the page is seen',
    'return sentAtMs < resumedMs || sentAtMs > now();',
    'return true;',
  ),
  tabs('a clock set back keeps no beacon waiting', ' || sentAtMs > now()', ''),
  tabs('a page sends its own when it goes', 'due().filter(({ id }) => own.has(id))', 'due()'),

  departure('a refused beacon is halved', 'if (isHalf || half', 'if (isHalf !== null || half'),
  departure('what no beacon takes is sent', "send('POST', path, body, true).catch(() => {});", 'void body;'),
  departure('what a beacon took is kept', '{ ...said, sentAtMs: g.Date.now() }', 'said'),
  departure('a person goes by no beacon', ".filter(({ kind }) => kind !== 'identify')", ''),
  departure('a page that is seen again repeats its beacons', ' : resume()));', ' : undefined));'),
];
