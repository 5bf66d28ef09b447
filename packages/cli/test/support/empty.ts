import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BeckonOptions } from '@beckon/core';
import { run } from '../../src/run.ts';
import { type Services, services } from '../../src/services.ts';
import { type FakeIo, fakeIo } from './fake-io.ts';

/** The program in an empty folder: without a database, a configuration or a master key. */
export type EmptyCli = {
  readonly io: FakeIo;
  /** Options of every Beckon that commands opened. */
  readonly opened: readonly BeckonOptions[];
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
};

export const emptyCli = ({ services: replaced = {}, ...options }: Options = {}): EmptyCli => {
  const io = fakeIo(options);
  const opened: BeckonOptions[] = [];
  const all = { ...services, ...replaced };
  const open: Services['open'] = (flags) => {
    opened.push(flags);
    return all.open(flags);
  };
  return {
    io,
    opened,
    run: (...argv) => run(argv, io, { ...all, open }),
    envelope: () => JSON.parse(io.out()),
    put: (name, text) => writeFileSync(join(io.cwd, name), text),
  };
};
