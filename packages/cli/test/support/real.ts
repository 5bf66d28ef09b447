import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Beckon, type BeckonOptions, createBeckon, newMasterKey, type Scope, virtualClock } from '@beckon/core';
import { run } from '../../src/run.ts';
import { services } from '../../src/services.ts';
import { type FakeIo, fakeIo } from './fake-io.ts';

/** The program with a real database in a separate folder, and a Beckon on the same database. */
export type RealCli = {
  readonly beckon: Beckon;
  readonly scope: Scope;
  readonly clock: ReturnType<typeof virtualClock>;
  /** Working directory of commands. */
  readonly cwd: string;
  /** Runs a command; `during` gets its fake process while it runs. */
  run(
    argv: readonly string[],
    options?: {
      readonly isTTY?: boolean;
      readonly stdin?: string;
      readonly during?: (io: FakeIo) => Promise<void>;
      readonly env?: Readonly<Record<string, string>>;
      /** Replaces fetch, for commands with --url. */
      readonly fetch?: typeof globalThis.fetch;
    },
  ): Promise<{ readonly code: number; readonly out: string; readonly err: string }>;
  close(): Promise<void>;
};

/**
 * Creates one organization `Acme` with one project `App`; the scope is its `test`.
 *
 * @param variables environment variables of commands, besides those of the database
 * @param options options of the Beckon beside the commands
 */
export const realCli = async (
  variables: Readonly<Record<string, string>> = {},
  options: Partial<BeckonOptions> = {},
): Promise<RealCli> => {
  const home = fakeIo();
  const clock = virtualClock(home.now());
  const masterKey = newMasterKey();
  mkdirSync(join(home.cwd, 'data'), { mode: 0o700 });
  const db = `sqlite:${join(home.cwd, 'data', 'beckon.db')}`;
  const beckon = await createBeckon({ db, masterKey, clock, ...options });
  const org = await beckon.tenancy.createOrg({ name: 'Acme' });
  const project = await beckon.tenancy.createProject({ orgId: org.id, name: 'App' });
  const scope = await beckon.tenancy.scope({ orgId: org.id, projectId: project.id, environment: 'test' });
  return {
    beckon,
    scope,
    clock,
    cwd: home.cwd,
    run: async (argv, { during = async () => undefined, env, fetch = services.fetch, ...options } = {}) => {
      const here = { BECKON_MASTER_KEY: masterKey, BECKON_DB: db, ...variables };
      const io = fakeIo({ ...options, cwd: home.cwd, env: env ?? here });
      const open: typeof services.open = (flags) => services.open({ ...flags, clock });
      const [code] = await Promise.all([
        run(argv, { ...io, now: () => clock.now() }, { ...services, open, fetch }),
        during(io),
      ]);
      return { code, out: io.out(), err: io.err() };
    },
    close: async () => {
      await beckon.close();
      home.remove();
    },
  };
};
