import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Beckon, BeckonOptions } from '@beckon/core';
import { run } from '../../src/run.ts';
import { type Services, services } from '../../src/services.ts';
import { type FakeIo, fakeIo } from './fake-io.ts';

/** The program in an empty folder: without a database, a configuration or a master key. */
export type EmptyCli = {
  readonly io: FakeIo;
  /** Options of every Beckon that commands opened. */
  readonly opened: readonly BeckonOptions[];
  /** Number of Beckons that commands opened and did not close. */
  unclosed(): number;
  run(...argv: string[]): Promise<number>;
  /** The output of `--json`; throws if it is not exactly one envelope. */
  envelope(): unknown;
  /** Writes a file into the folder. */
  put(name: string, text: string): void;
};

type Options = {
  readonly env?: Record<string, string>;
  readonly isTTY?: boolean;
  readonly stdin?: string;
  readonly answer?: string;
  readonly cwd?: string;
  /** Replaces single services, for example to let one fail. */
  readonly services?: Partial<Services>;
  /** Replaces single methods of the Beckon that a command opens. */
  readonly change?: (beckon: Beckon) => Beckon;
};

export const emptyCli = ({ services: replaced = {}, change = (one) => one, ...options }: Options = {}): EmptyCli => {
  const io = fakeIo(options);
  const opened: BeckonOptions[] = [];
  const all = { ...services, ...replaced };
  let unclosed = 0;
  const open: Services['open'] = async (flags) => {
    opened.push(flags);
    const beckon = await all.open(flags);
    unclosed += 1;
    const close = async (): Promise<void> => {
      await beckon.close();
      unclosed -= 1;
    };
    return change({ ...beckon, close });
  };
  return {
    io,
    opened,
    unclosed: () => unclosed,
    run: (...argv) => run(argv, io, { ...all, open }),
    envelope: () => JSON.parse(io.out()),
    put: (name, text) => writeFileSync(join(io.cwd, name), text),
  };
};

/** Services that take the SQLite file at `path` for the database of every URL, for example of a PostgreSQL. */
export const servicesOf = (path: string): Pick<Services, 'open' | 'schema'> => {
  const db = `sqlite:${path}`;
  return {
    open: (options) => services.open({ ...options, db }),
    schema: (options) => services.schema({ ...options, db }),
  };
};
