// Kills a program that signs users up, at random moments, and looks whether each sign-up is there as a whole or not at all.

import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type BundleInput, createBeckon } from '@beckon/core';
import Database from 'better-sqlite3';
import type { Deployment } from './deployment.ts';
import { randomOf } from './random.ts';

const PRELOAD = fileURLToPath(new URL('../../../../scripts/source-preload.mjs', import.meta.url));
const PROGRAM = fileURLToPath(new URL('./sign-up-program.ts', import.meta.url));
/** Longest wait between the first acknowledged sign-up and the kill. */
const KILL_WITHIN_MS = 400;
const HOST_TABLE = 'create table host_users (user_id text primary key)';

/** What sign-up-program.ts reads. */
export type SignUps = Pick<Deployment, 'url' | 'masterKey' | 'project'> & { readonly round: number };

export type SignUpRound = {
  readonly acknowledged: number;
  /** Users on disk. */
  readonly found: number;
  /** Acknowledged users that are not on disk. */
  readonly lost: number;
};
/** `problems` has one sentence per violation. */
export type SignUpRun = { readonly rounds: readonly SignUpRound[]; readonly problems: readonly string[] };

/** A workflow that a sign-up starts. */
export const welcomeWorkflow: BundleInput['workflows'][number] = {
  name: 'Welcome',
  description: null,
  isActive: true,
  trigger: { eventType: 'user.signed_up' },
  steps: [{ type: 'wait', config: { minutes: 60 } }],
};

const ofEvent = (table: string): string =>
  `select substr(events.person, 3) as id from ${table} join events on events.id = ${table}.event_id where ${table}.event_type = 'user.signed_up'`;

/** What a sign-up writes, each as the ids of its users. */
const WRITTEN = {
  password: 'select cast(account_id as text) as id from auth_passwords',
  session: 'select cast(account_id as text) as id from auth_sessions',
  profile: 'select substr(person, 3) as id from profiles',
  event: `select substr(person, 3) as id from events where event_type = 'user.signed_up'`,
  delivery: ofEvent('webhook_deliveries'),
  email:
    'select cast(auth_users.id as text) as id from messages join auth_users on auth_users.email = messages.address',
  link: 'select cast(account_id as text) as id from auth_one_time',
  'row of the host': 'select user_id as id from host_users',
};
const RAISED = `select substr(person, 3) as id from raised_events where event_type = 'user.signed_up' union all select substr(person, 3) as id from runs`;
const RUN = 'select substr(person, 3) as id from runs';

/** Waits for the first line of the program, then kills it after a while; answers all lines. */
const killedProgram = async (signUps: SignUps, waitMs: number): Promise<readonly string[]> => {
  const child = spawn(process.execPath, ['--import', PRELOAD, PROGRAM, JSON.stringify(signUps)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stderr.on('data', (data) => {
    err += data;
  });
  const closed = new Promise<void>((resolve) => child.on('close', () => resolve()));
  const begun = new Promise<void>((resolve) =>
    child.stdout.on('data', (data) => {
      out += data;
      if (out.includes('\n')) resolve();
    }),
  );
  await Promise.race([begun, closed]);
  await sleep(waitMs);
  if (child.exitCode !== null) throw new Error(`the program ended by itself: ${err}`);
  child.kill('SIGKILL');
  await closed;
  // The last line may be cut.
  return out.split('\n').slice(0, -1);
};

const setUp = async ({ engine, url, masterKey, project, query }: Deployment): Promise<void> => {
  const beckon = await createBeckon({ db: url, masterKey });
  const scope = await beckon.tenancy.scope({ ...project, environment: 'test' });
  await beckon.auth.updateSettings(scope, { signup: { autoSignIn: true, requireVerifiedEmail: false } });
  await beckon.webhooks.create(scope, { url: 'https://shop.example/', events: ['user.signed_up'], isPulled: true });
  await beckon.close();
  if (engine === 'postgres') await query(HOST_TABLE);
  else new Database(url.slice('sqlite:'.length)).exec(HOST_TABLE).close();
};

/** Kills the program in each round, and compares what is on disk at once and after the work that follows. */
export const killSignUps = async (
  deployment: Deployment,
  { rounds, seed }: { readonly rounds: number; readonly seed: number },
): Promise<SignUpRun> => {
  const { url, masterKey, project, query } = deployment;
  const random = randomOf(`sign-up ${seed}`);
  const problems: string[] = [];
  const done: SignUpRound[] = [];
  const idsOf = async (text: string): Promise<string> => {
    const ids = (await query<{ id: string }>(text)).map(({ id }) => id);
    return ids.toSorted().join(' ');
  };
  const compare = async (what: Readonly<Record<string, string>>): Promise<void> => {
    const users = await idsOf('select cast(id as text) as id from auth_users');
    for (const [name, text] of Object.entries(what))
      if ((await idsOf(text)) !== users) problems.push(`round ${done.length + 1}: not every user has one ${name}`);
  };
  await setUp(deployment);
  for (let round = 1; round <= rounds; round += 1) {
    const before = (await query("select id from auth_users where email_norm like 'u%'")).length;
    const acknowledged = await killedProgram({ url, masterKey, project, round }, random() * KILL_WITHIN_MS);
    problems.push(...(await deployment.damage()));
    await compare({ ...WRITTEN, run: RAISED });
    const beckon = await createBeckon({ db: url, masterKey });
    await beckon.worker.drain();
    await beckon.close();
    await compare({ ...WRITTEN, run: RUN });
    const emails = (await query<{ email: string }>('select email_norm as email from auth_users')).map(
      ({ email }) => email,
    );
    const found = new Set(emails);
    done.push({
      acknowledged: acknowledged.length,
      found: emails.length - before,
      lost: acknowledged.filter((email) => !found.has(email)).length,
    });
  }
  return { rounds: done, problems };
};
