import type { Client } from './load.ts';
import type { Options } from './options.ts';
import type { Postgres } from './postgres.ts';
import type { Report } from './report.ts';

/** What every benchmark is given. */
export type Setting = {
  readonly options: Options;
  readonly client: Client;
  /** A server, or a sentence that says why there is none. */
  readonly postgres: Postgres | string;
  /** Resolves once the disk is as quick as it was before the run, or after half a minute. */
  quiet(): Promise<void>;
  /** Tells the terminal what is going on; not part of the report. */
  say(line: string): void;
};

/** Throws VoidRun when its figures mean nothing. */
export type Bench = (setting: Setting) => Promise<Report>;
