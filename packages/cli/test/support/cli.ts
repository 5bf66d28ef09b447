import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../src/run.ts';
import { fakeServices } from './fake-beckon.ts';
import { type FakeIo, fakeIo } from './fake-io.ts';
import { type World, world } from './world.ts';

/** The program with a fake database, in a separate folder. */
export type Cli = {
  readonly io: FakeIo;
  readonly state: World;
  run(...argv: string[]): Promise<number>;
  /** The output of `--json`; throws if it is not exactly one envelope. */
  envelope(): unknown;
  /** Writes a file into the folder. */
  put(name: string, text: string): void;
};

type Options = Parameters<typeof fakeIo>[0] & { readonly isNew?: boolean };

/** `isNew` omits the master key and the database file that most commands need. */
export const cli = ({ isNew = false, env = {}, ...options }: Options = {}): Cli => {
  const io = fakeIo({
    ...options,
    env: { ...(isNew ? {} : { BECKON_MASTER_KEY: 'key', BECKON_DB: 'sqlite:x.db' }), ...env },
  });
  const state = world();
  const put = (name: string, text: string): void => writeFileSync(join(io.cwd, name), text);
  if (!isNew) {
    put('x.db', '');
  }
  return {
    io,
    state,
    put,
    run: (...argv) => run(argv, io, fakeServices(state)),
    envelope: () => JSON.parse(io.out()),
  };
};
