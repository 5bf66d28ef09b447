import { cpus, loadavg } from 'node:os';
import Database from 'better-sqlite3';
import { type Durable, PROBE_BYTES, PROBES } from './disk.ts';
import { figure } from './report.ts';

const sqliteVersion = (): string => {
  const database = new Database(':memory:');
  try {
    return String(database.prepare('select sqlite_version()').pluck().get());
  } finally {
    database.close();
  }
};

type Facts = { readonly postgres: string; readonly client: string; readonly disk: Durable };
/** Facts besides the code that figures depend on, one per line. */
export const headerOf = ({ postgres, client, disk }: Facts): string[] => {
  const [load = 0] = loadavg();
  return [
    `${new Date().toISOString().slice(0, 10)}   node ${process.versions.node}   sqlite ${sqliteVersion()}   postgres ${postgres}`,
    `${cpus().length} cpus, ${cpus()[0]?.model.trim() ?? 'unknown'}   ${process.platform} ${process.arch}   load before ${figure(load)}`,
    `fsync p50 ${figure(disk.p50Ms)} ms, p99 ${figure(disk.p99Ms)} ms (${PROBES} writes of ${PROBE_BYTES} bytes)   load client ${client}`,
  ];
};
