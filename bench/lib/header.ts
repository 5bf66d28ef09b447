import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { places } from './places.ts';
import { figure } from './report.ts';
import { quantile } from './statistics.ts';

/** Writes of the probe. Source: performance design, rules of measurement. */
const PROBES = 200;
const PROBE_BYTES = 4_096;

/** What one durable write costs on the disk of the databases, in milliseconds. */
const probeDisk = (): { readonly p50Ms: number; readonly p99Ms: number } => {
  const file = openSync(join(places.work, 'fsync-probe'), 'w');
  const block = Buffer.alloc(PROBE_BYTES, 1);
  try {
    const times = Float64Array.from({ length: PROBES }, (_, at) => {
      const startMs = performance.now();
      writeSync(file, block, 0, PROBE_BYTES, at * PROBE_BYTES);
      fdatasyncSync(file);
      return performance.now() - startMs;
    }).sort();
    return { p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99) };
  } finally {
    closeSync(file);
  }
};

const sqliteVersion = (): string => {
  const database = new Database(':memory:');
  try {
    return String(database.prepare('select sqlite_version()').pluck().get());
  } finally {
    database.close();
  }
};

/** What figures depend on besides the code, one fact per line. */
export const headerOf = ({ postgres, client }: { postgres: string; client: string }): string[] => {
  const disk = probeDisk();
  const [load = 0] = loadavg();
  return [
    `${new Date().toISOString().slice(0, 10)}   node ${process.versions.node}   sqlite ${sqliteVersion()}   postgres ${postgres}`,
    `${cpus().length} cpus, ${cpus()[0]?.model.trim() ?? 'unknown'}   ${process.platform} ${process.arch}   load before ${figure(load)}`,
    `fsync p50 ${figure(disk.p50Ms)} ms, p99 ${figure(disk.p99Ms)} ms (${PROBES} writes of ${PROBE_BYTES} bytes)   load client ${client}`,
  ];
};
