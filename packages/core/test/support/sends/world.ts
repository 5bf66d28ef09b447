import type { StorageObserver } from '../../../src/database/observer.ts';
import type { Claimed, LeaseKey } from '../../../src/database/statements/claim.ts';
import { type VirtualClock, virtualClock } from '../../../src/foundation/clock.ts';
import { uuidV7Ids } from '../../../src/foundation/ids.ts';
import { noMeter } from '../../../src/foundation/meter.ts';
import { userPerson } from '../../../src/foundation/person.ts';
import type { Scope } from '../../../src/foundation/scope.ts';
import { LEASE_MS, MAX_CLAIM, type Registration } from '../../../src/jobs/registration.ts';
import { emailChannel, emailEngine } from '../../../src/messaging/email/email.ts';
import type { Send } from '../../../src/messaging/sends/answers.generated.ts';
import type { SendAudiences } from '../../../src/messaging/sends/audience.ts';
import type { Address } from '../../../src/messaging/sends/channel.ts';
import type { SendingPlatform } from '../../../src/messaging/sends/context.ts';
import type { Recipients, SendRequest } from '../../../src/messaging/sends/schema.ts';
import { type Sending, type SendsNeeds, sendingEngine } from '../../../src/messaging/sends/sending.ts';
import { smsChannel, smsEngine } from '../../../src/messaging/sms/sms.ts';
import { type LoadProfiles, type ProfileView, personKey } from '../../../src/people/profiles/view.ts';
import { openTestDatabase, type TestDatabase } from '../database.ts';
import { listeningTo } from '../events/listening.ts';
import { processContext } from '../jobs/process-context.ts';
import { scopeLike, testScope, testScopes } from '../scopes.ts';
import { unchecked } from '../unchecked.ts';
import { fakeCredentials } from './credentials.ts';
import { fakePush } from './push.ts';

export const START = '2026-03-01T12:00:00.000Z';
export const TEST = testScope({ orgId: 'org-a', projectId: 'app', environment: 'test' });
export const PROD: Scope = scopeLike(TEST, { environment: 'prod' });

/** A profile, optionally with an `email` trait. */
export const profileOf = (scope: Scope, userId: string, traits: Record<string, unknown> = {}): ProfileView => ({
  ...scope,
  person: userPerson(userId),
  traits,
  version: 1,
  isTruncated: false,
  email: null,
  phone: null,
  locale: null,
  timezone: null,
  createdAt: new Date(START),
  lastSeenAt: new Date(START),
});

/** An email request as the email engine makes it. */
export const draftTo = (recipients: Recipients, content: Readonly<Record<string, unknown>> = {}): SendRequest => ({
  channel: 'email',
  source: 'api',
  class: 'marketing',
  title: 'Hello',
  content: { subject: 'Hello', text: 'Hello {{trait.name}}', ...content },
  variables: {},
  recipients,
});

export const addresses = (...list: string[]): Recipients =>
  list.map((address) => ({ kind: 'address', address, name: null }));
export const users = (...list: string[]): Recipients => list.map((userId) => ({ kind: 'user', userId }));
export const numbered = (count: number): string[] => Array.from({ length: count }, (_, at) => `p${at}@example.com`);

/** A worker that runs one step at a time and can be stopped at any point. */
export const hand = <Row extends LeaseKey, Outcome>(database: TestDatabase, work: Registration<Row, Outcome>) => {
  const claim = (limit = MAX_CLAIM): Promise<Claimed<Row>[]> => database.storage.claim(work.claim, limit, LEASE_MS);
  const handle = async (rows: readonly Claimed<Row>[]): Promise<Outcome[]> => {
    const outcomes: Outcome[] = [];
    await work.process(rows, (_, outcome) => outcomes.push(outcome), processContext());
    return outcomes;
  };
  return {
    work,
    claim,
    process: handle,
    commit: (outcomes: readonly Outcome[]) => work.commit(outcomes),
    /** Claims, processes and commits one batch; returns its size. */
    turn: async (limit?: number): Promise<number> => {
      const rows = await claim(limit);
      if (rows.length > 0) await work.commit(await handle(rows));
      return rows.length;
    },
  };
};

/** The parts of the platform and of other modules that a test replaces. */
export type SendingParts = Partial<SendingPlatform & SendsNeeds>;

export type World = Awaited<ReturnType<typeof openWorld>>;

/** Sending and email over an empty database, with users in memory and no other modules. */
export const openWorld = async (
  options: Partial<
    Pick<
      SendsNeeds,
      'callLimitMs' | 'sandboxSlowMs' | 'channels' | 'loadSettings' | 'reactions' | 'reservations' | 'resendsAmbiguous'
    >
  > = {},
) => {
  const clock: VirtualClock = virtualClock(START);
  const observer: StorageObserver = {};
  const database = await openTestDatabase({
    clock,
    observer: {
      statement: (id, rows, text) => observer.statement?.(id, rows, text),
      beforeCommit: () => observer.beforeCommit?.(),
    },
  });
  const people = new Map<string, ProfileView>();
  const errors: string[] = [];
  const warnings: unknown[] = [];
  const loadProfiles: LoadProfiles = async (keys) =>
    new Map(
      keys.flatMap((key) => {
        const profile = people.get(personKey(key));
        return profile ? [[personKey(key), profile] as const] : [];
      }),
    );
  const hooks = { loadProfiles };
  const tokens = new Map<string, Address[]>();
  const push = fakePush(tokens);
  const lists = new Map<string, { members: string[]; isReady: boolean }>();
  /** Audiences in memory, for every scope. */
  const audiences: SendAudiences = {
    find: async (_, id) => {
      const list = lists.get(id);
      return list ? { members: list.members.length } : null;
    },
    isReady: async (_, id) => lists.get(id)?.isReady ?? true,
    page: async (_, id, after, limit) =>
      (lists.get(id)?.members ?? [])
        .map(userPerson)
        .filter((person) => after === null || person > after)
        .sort()
        .slice(0, limit),
  };
  const credentials = fakeCredentials();
  const channels = { push: push.port, email: emailChannel(), sms: smsChannel() };
  const platform: SendingPlatform = {
    storage: database.storage,
    tables: database.tables,
    clock,
    tracing: null,
    ids: uuidV7Ids(clock),
    meter: noMeter,
    scopes: testScopes,
    // Sends of this world have no sealed values.
    keyring: { openText: () => Promise.reject(new TypeError('nothing is sealed here')) },
    log: { error: (_, message) => errors.push(message), warn: (fields) => void warnings.push(fields) },
  };
  const engine = (more: SendingParts = {}): Sending =>
    sendingEngine(
      { ...platform, ...more },
      {
        random: () => 0.5,
        loadProfiles: (keys) => hooks.loadProfiles(keys),
        channels,
        audiences,
        credentials: credentials.source,
        emitter: listeningTo(database.tables),
        causes: async () => () => ({ depth: 0 }),
        ...options,
        ...more,
      },
    );
  const sending = engine();
  const email = emailEngine(sending);
  const sms = smsEngine({ sending });
  /** Accepts a request that is no dry run. */
  const accept = async (scope: Scope, request: SendRequest): Promise<Send> => {
    const answer = await sending.submit(scope, request);
    if ('dryRun' in answer) throw new Error('this was a dry run');
    return answer;
  };
  const mail = async (scope: Scope, body: unknown): Promise<Send> => {
    const answer = await email.send(scope, unchecked(body));
    if ('dryRun' in answer) throw new Error('this was a dry run');
    return answer;
  };
  const messages = hand(database, sending.registrations.messages);
  const sends = hand(database, sending.registrations.sends);
  return {
    clock,
    observer,
    hooks,
    database,
    storage: database.storage,
    tables: database.tables,
    sending,
    email,
    sms,
    accept,
    mail,
    tokens,
    lists,
    channels,
    push,
    credentials,
    engine,
    errors,
    warnings,
    messages,
    sends,
    /** Adds a user's profile. */
    addPerson: (scope: Scope, userId: string, traits: Record<string, unknown>): void => {
      const profile = profileOf(scope, userId, traits);
      people.set(personKey(profile), profile);
    },
    /** Processes due work until none is left. */
    drain: async (): Promise<void> => {
      while ((await sends.turn()) + (await messages.turn()) > 0);
    },
    /** Everything in the outbox, oldest first. */
    caught: async (scope: Scope = TEST) => {
      const rows = await database.storage.db.select().from(database.tables.outboxMessages);
      return rows.filter((row) => row.scopeId === scope.scopeId).sort((a, b) => (a.id < b.id ? -1 : 1));
    },
    close: async (): Promise<void> => {
      await sending.close();
      await database.close();
    },
  };
};
