import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Beckon, type BeckonOptions, createBeckon, newMasterKey, type Scope, virtualClock } from '@beckon/core';
import { run } from '../../src/run.ts';
import { type Services, services } from '../../src/services.ts';
import { type FakeIo, fakeIo } from './fake-io.ts';

/** The program with a real database in a separate folder, and a Beckon on the same database. */
export type RealCli = {
  readonly beckon: Beckon;
  readonly scope: Scope;
  readonly clock: ReturnType<typeof virtualClock>;
  /** Working directory of commands. */
  readonly cwd: string;
  /** Variables of the database and of `realCli`, for a command that runs elsewhere. */
  readonly env: Readonly<Record<string, string>>;
  /** Writes a file into the working directory. */
  put(name: string, text: string): void;
  /** Runs a command; `during` gets its fake process while it runs. */
  run(
    argv: readonly string[],
    options?: {
      readonly isTTY?: boolean;
      readonly stdin?: string;
      /** Answer to every prompt. */
      readonly answer?: string;
      readonly during?: (io: FakeIo) => Promise<void>;
      readonly env?: Readonly<Record<string, string>>;
      /** Replaces fetch, for commands with --url. */
      readonly fetch?: typeof globalThis.fetch;
      /** Replaces single services, for example to let one fail. */
      readonly services?: Partial<Services>;
      /** Replaces single methods of the Beckon that the command opens. */
      readonly change?: (beckon: Beckon) => Beckon;
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
  const variablesOfAll = { BECKON_MASTER_KEY: masterKey, BECKON_DB: db, ...variables };
  return {
    beckon,
    scope,
    clock,
    cwd: home.cwd,
    env: variablesOfAll,
    put: (name, text) => writeFileSync(join(home.cwd, name), text),
    run: async (argv, { during = async () => undefined, env = variablesOfAll, ...options } = {}) => {
      const { fetch = services.fetch, change = (one) => one, services: replaced = {}, ...process } = options;
      const io = fakeIo({ ...process, cwd: home.cwd, env });
      const all = { ...services, fetch, ...replaced };
      const open: typeof services.open = async (flags) => change(await all.open({ ...flags, clock }));
      const [code] = await Promise.all([run(argv, { ...io, now: () => clock.now() }, { ...all, open }), during(io)]);
      return { code, out: io.out(), err: io.err() };
    },
    close: async () => {
      await beckon.close();
      home.remove();
    },
  };
};
