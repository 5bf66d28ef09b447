// npm run bench: builds, measures, prints, and evaluates gates. README.md describes the benchmarks.
import { rmSync, writeFileSync } from 'node:fs';
import { analytics } from './analytics.bench.ts';
import { audience } from './audience.bench.ts';
import { fanout } from './fanout.bench.ts';
import { hostile } from './hostile.bench.ts';
import { identify } from './identify.bench.ts';
import { ingest } from './ingest.bench.ts';
import type { Bench, Setting } from './lib/bench.ts';
import { buildEverything } from './lib/build.ts';
import { probeDisk, quietDisk } from './lib/disk.ts';
import { judge } from './lib/gates.ts';
import { headerOf } from './lib/header.ts';
import { openClient } from './lib/load.ts';
import { NAMES, type Name, type Options, parseOptions, USAGE, UsageError } from './lib/options.ts';
import { places } from './lib/places.ts';
import { openPostgres } from './lib/postgres.ts';
import { jsonOf, markdownOf, type Report, textOf } from './lib/report.ts';
import { VoidRun } from './lib/rounds.ts';
import { render } from './render.bench.ts';
import { send } from './send.bench.ts';
import { store } from './store.bench.ts';
import { worker } from './worker.bench.ts';
import { workflow } from './workflow.bench.ts';

const EXIT = { met: 0, notMet: 1, usage: 2, void: 4 } as const;

const benches: Readonly<Record<Name, Bench>> = {
  ...{ ingest, workflow, store, worker, send, fanout, audience, identify, render, hostile, analytics },
};

const say = (line: string): void => console.error(line);

const measure = async (options: Options, setting: Setting, header: readonly string[]): Promise<Report[]> => {
  const reports: Report[] = [];
  console.log(header.join('\n'));
  for (const name of options.names) {
    const report = await benches[name](setting);
    console.log(`\n${textOf(report, options.isFull)}`);
    reports.push(report);
  }
  return reports;
};

const main = async (options: Options): Promise<number> => {
  const startMs = performance.now();
  say('building');
  await buildEverything();
  const client = await openClient(options);
  const postgres = await openPostgres();
  const disk = probeDisk();
  const quiet = (): Promise<void> => quietDisk(disk);
  const header = headerOf({
    disk,
    postgres: typeof postgres === 'string' ? 'none' : postgres.version,
    client: client.name,
  });
  let reports: Report[];
  try {
    reports = await measure(options, { options, client, postgres, quiet, say }, header);
  } finally {
    await client.stop();
    if (typeof postgres !== 'string') await postgres.stop();
    rmSync(places.work, { recursive: true, force: true });
  }
  say(`\ntook ${Math.round((performance.now() - startMs) / 1_000)} s`);
  if (options.jsonFile !== undefined)
    writeFileSync(options.jsonFile, `${JSON.stringify({ header, benches: reports.map(jsonOf) }, null, 2)}\n`);
  const isWhole = options.isFull && options.names.length === NAMES.length && options.also === undefined;
  if (isWhole) writeFileSync(places.resultsFile, markdownOf(header, reports));
  const isMet = reports.every(({ gates }) => gates.every((gate) => judge(gate).isMet));
  return options.isGated && !isMet ? EXIT.notMet : EXIT.met;
};

try {
  process.exitCode = await main(parseOptions(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof UsageError || error instanceof VoidRun)) throw error;
  const isUsage = error instanceof UsageError;
  say(isUsage ? `${error.message}\n${USAGE}` : `VOID  ${error.message}`);
  process.exitCode = isUsage ? EXIT.usage : EXIT.void;
}
