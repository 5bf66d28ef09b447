/* The server that scripts/sign-in.ts measures, in a process of its own. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Beckon, createBeckon, type Environment, newMasterKey, type Scope } from '@beckon/core';
import { createHandler, listen } from '@beckon/http';
import { answerParent } from '../bench/lib/child.ts';
import { tokensOf } from '../packages/core/test/support/identity/tokens.ts';
import { TEST_CA } from '../packages/core/test/support/transports/tls/fixtures.ts';

export type Started = { readonly url: string; readonly key: string; readonly prodKey: string };
export type StartInput = { readonly db: string; readonly relayPort: number };

/** The campaign makes more calls than one client may. */
const UNLIMITED = 1_000_000;
const MAILS_PER_MINUTE = 60_000;
const PAGE = 'https://app.example.com/auth';
const BATCH = 100;
const MEMBERS = 1_000;
const POLL_MS = 20;
const MAX_POLLS = 500;

type Running = { readonly beckon: Beckon; readonly test: Scope; readonly prod: Scope };
let running: Running | undefined;
const here = (): Running => {
  if (!running) throw new Error('the server has not started');
  return running;
};

const start = async ({ db, relayPort }: StartInput): Promise<Started> => {
  const beckon = await createBeckon({
    ...{ db, masterKey: newMasterKey(), publicUrl: 'https://auth.example' },
    limits: { callsPerMinute: UNLIMITED, ingestPerSecond: 100_000, ingestBurst: UNLIMITED },
    email: { mailsPerMinute: MAILS_PER_MINUTE },
    outbound: { allowCidrs: ['127.0.0.0/8'], ca: TEST_CA, smtp: { allowedPorts: [relayPort] } },
  });
  const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Acme' });
  const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
  const environmentOf = async (environment: Environment) => {
    const scope = await beckon.tenancy.scope({ orgId, projectId, environment });
    await beckon.auth.updateSettings(scope, { redirectUris: [PAGE] });
    const grants = [{ orgId, projectId }];
    const { secret } = await beckon.tenancy.createKey({ kind: 'public', environment, grants });
    return { scope, secret };
  };
  const [test, prod] = [await environmentOf('test'), await environmentOf('prod')];
  const relay = { host: '127.0.0.1', port: relayPort, secure: false, user: 'shop', password: 'relay-password' };
  await beckon.settings.update(prod.scope, 'email', { smtp: { ...relay, from: 'shop@shop.test' } });
  beckon.worker.start();
  running = { beckon, test: test.scope, prod: prod.scope };
  const { url } = await listen(createHandler(beckon, { trustedProxies: 1 }), { port: 0 });
  return { url, key: test.secret, prodKey: prod.secret };
};

/** Creates verified users `NAME-0@example.com` and so on. */
const users = async ({ name, count, password }: { name: string; count: number; password: string }): Promise<void> => {
  const { beckon, test } = here();
  for (let at = 0; at < count; at += 1)
    await beckon.users.create(test, { email: `${name}-${at}@example.com`, emailVerified: true, password });
};

/** Waits for an email to an address in the outbox, and returns the token of its link. */
const linkToken = async (email: string): Promise<string> => {
  const { beckon, test } = here();
  for (let poll = 0; poll < MAX_POLLS; poll += 1) {
    const { data } = await beckon.outbox.list(test, { channel: 'email' });
    const found = data.find(({ address }) => address === email);
    const token = /token=([\w-]+)/.exec(JSON.stringify(found ?? ''))?.[1];
    if (token !== undefined) return token;
    await sleep(POLL_MS);
  }
  throw new Error(`no email to ${email} was caught`);
};

/** Creates an audience of users with addresses in `prod`. */
const members = async (count: number): Promise<string> => {
  const { beckon, prod } = here();
  for (let at = 0; at < count; at += BATCH) {
    const of = Array.from({ length: Math.min(BATCH, count - at) }, (_, index) => at + index);
    await Promise.all(
      of.map((index) =>
        beckon.events.identify(prod, { userId: `reader-${index}`, traits: { email: `reader-${index}@news.example` } }),
      ),
    );
  }
  const { id } = await beckon.audiences.create(prod, { name: 'Readers' });
  for (let at = 0; at < count; at += MEMBERS)
    await beckon.audiences.addMembers(prod, id, {
      userIds: Array.from({ length: Math.min(MEMBERS, count - at) }, (_, index) => `reader-${at + index}`),
    });
  return id;
};

const newsletter = async (audienceId: string): Promise<void> => {
  const { beckon, prod } = here();
  await beckon.email.send(prod, { audienceId, subject: 'News', text: 'What is new.', class: 'marketing' });
};

/** CPU of this process and all its threads so far, in microseconds. */
const cpuUs = (): number => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

/** CPU of one check of an access token, in microseconds. */
const bearerCpuUs = async ({ email, password, count }: { email: string; password: string; count: number }) => {
  const { beckon, test } = here();
  const { accessToken } = await tokensOf(beckon.auth.signIn(test, { email, password }));
  const before = cpuUs();
  for (let at = 0; at < count; at += 1) await beckon.auth.authenticate(test, accessToken);
  return (cpuUs() - before) / count;
};

const accounts = async (email: string): Promise<number> => {
  const { beckon, test } = here();
  return (await beckon.users.list(test, { email })).data.length;
};

answerParent({ start, users, linkToken, members, newsletter, cpuUs, bearerCpuUs, accounts });
