/*
 * Compares two builds of time zone data: quiet hours and waits for a window, by this Node and by another one at the
 * same random moments. If both builds have the same rules for a zone, every answer must be equal; if the rules differ,
 * as governments change them, each build must agree with its own clock.
 *
 * Use: node scripts/check-time-zones.ts OTHER-NODE. Prints one line; exit code 0 if there is no unexpected difference.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { opensAt } from '../packages/core/src/automation/runs/steps/wait/window.ts';
import { zoneClock } from '../packages/core/src/foundation/zone-clock.ts';
import { dayWindow, isWithin, quietUntil } from '../packages/core/src/messaging/sends/deliver/gates/quiet-window.ts';
import { DAYS } from '../packages/core/src/messaging/settings/schema.ts';
import { seeded } from '../packages/core/test/support/seeded.ts';

const MOMENTS = 100_000;
const SEED = 20_261_123;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/**
 * Around the day from which the rules of current builds differ; moments are drawn from it, answers are a week later at
 * most.
 */
const FROM_MS = Date.UTC(2025, 0, 1);
const DAYS_LONG = 1_000;
const STEP_MS = 6 * HOUR_MS;
const MAX_OUTPUT_BYTES = 64 * 1_024 * 1_024;

/** The answers of one build. */
type Said = {
  readonly node: string;
  readonly data: string;
  /** By zone, a digest of its local times over the compared period. */
  readonly rules: Readonly<Record<string, string>>;
  /**
   * For each moment: its zone, until when it is quiet, and when the window opens; null: it is not quiet, it is open.
   */
  readonly answers: readonly (readonly [zone: string, quietUntil: number | null, opensAt: number | null])[];
  /** Answers that disagree with the build's own clock. */
  readonly wrong: number;
};

const shownBy = (zone: string): ((atMs: number) => number) => {
  const parts = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const;
  const print = new Intl.DateTimeFormat('en-US', { timeZone: zone, hourCycle: 'h23', ...parts });
  return (atMs) => {
    const [month = 1, day = 1, year = 1970, hour = 0, minute = 0] = print.format(atMs).split(/\D+/).map(Number);
    return Date.UTC(year, month - 1, day, hour, minute);
  };
};

const rulesOf = (zone: string): string => {
  const shown = shownBy(zone);
  const digest = createHash('sha256');
  for (let at = FROM_MS - 7 * DAY_MS; at < FROM_MS + (DAYS_LONG + 14) * DAY_MS; at += STEP_MS)
    digest.update(`${shown(at) - at},`);
  return digest.digest('hex').slice(0, 16);
};

const say = (zones: readonly string[]): Said => {
  const random = seeded(SEED);
  const below = (most: number): number => Math.floor(random() * most);
  const time = (): string => new Date(below(1_440) * MINUTE_MS).toISOString().slice(11, 16);
  const shown = new Map(zones.map((zone) => [zone, shownBy(zone)]));
  const answers: [string, number | null, number | null][] = [];
  let wrong = 0;
  for (let count = 0; count < MOMENTS; count += 1) {
    const zone = zones[below(zones.length)] ?? 'UTC';
    const [start, end] = [time(), time()];
    const hours = dayWindow(start, end, random() < 0.5 ? [] : DAYS.filter(() => random() < 0.5));
    const atMs = FROM_MS + below(DAYS_LONG * 1_440) * MINUTE_MS;
    const clock = zoneClock(zone);
    const local = shown.get(zone);
    if (!clock || !local) throw new Error(`no zone ${zone}`);
    const quiet = start === end ? null : quietUntil(hours, clock, atMs);
    const opens = opensAt(hours, clock, atMs);
    const holds = (moment: number): boolean => isWithin(hours, local(moment));
    const isRight =
      (start === end || (quiet === null) === !holds(atMs)) &&
      (quiet === null || (!holds(quiet) && holds(quiet - MINUTE_MS))) &&
      (opens === null) === holds(atMs) &&
      (opens === null || (holds(opens) && !holds(opens - MINUTE_MS)));
    if (!isRight) wrong += 1;
    answers.push([zone, quiet, opens]);
  }
  const rules = Object.fromEntries(zones.map((zone) => [zone, rulesOf(zone)]));
  return { node: process.version, data: process.versions.tz ?? 'unknown', rules, answers, wrong };
};

const preload = fileURLToPath(new URL('./source-preload.mjs', import.meta.url));
const [other, given] = process.argv.slice(2);
if (other === undefined) {
  process.stderr.write('Name the other node: node scripts/check-time-zones.ts OTHER-NODE\n');
  process.exit(2);
}
const askOther = (what: string): unknown =>
  JSON.parse(
    execFileSync(other, ['--import', preload, fileURLToPath(import.meta.url), '--answer', what], {
      encoding: 'utf8',
      maxBuffer: MAX_OUTPUT_BYTES,
    }),
  );

if (other === '--answer') {
  // Safe: this script writes the argument, below.
  const asked = JSON.parse(given ?? 'null') as readonly string[] | null;
  process.stdout.write(JSON.stringify(asked === null ? Intl.supportedValuesOf('timeZone') : say(asked)));
} else {
  // Safe: the other Node runs this file.
  const theirs = new Set(askOther('null') as readonly string[]);
  const zones = Intl.supportedValuesOf('timeZone').filter((zone) => theirs.has(zone));
  const mine = say(zones);
  // Safe: as above.
  const said = askOther(JSON.stringify(zones)) as Said;
  const parted = new Set(zones.filter((zone) => mine.rules[zone] !== said.rules[zone]));
  const differing = mine.answers.filter((answer, at) => JSON.stringify(answer) !== JSON.stringify(said.answers[at]));
  const unexplained = differing.filter(([zone]) => !parted.has(zone));
  const wrong = mine.wrong + said.wrong;
  process.stdout.write(
    `time zones of Node ${mine.node} (${mine.data}) and ${said.node} (${said.data}): ${MOMENTS} moments in ${zones.length} zones, ` +
      `differences ${unexplained.length} where their rules are the same, ${differing.length} in the ${parted.size} zones whose rules ` +
      `differ (${[...parted].join(', ')}), against a build's own clock ${wrong} (seed ${SEED})\n`,
  );
  process.exitCode = unexplained.length + wrong === 0 ? 0 : 1;
}
