// Repeatedly kills the server under load on one database, and compares responses with stored data. A killed server leaves
// leases on runs, which expire after 30 s, so effects are checked once, after all rounds.

import type { Running } from '../beckon.ts';
import type { AtMost } from './at-most.ts';
import { type Deployment, killNine, urlOf } from './deployment.ts';
import { untilDrained } from './drained.ts';
import { type Answer, type Client, client, forAll, isPutOff, patient } from './http.ts';
import { halfOf, type Random, randomOf } from './random.ts';

/** Connections with one request in flight each; at least 32 requests must be open at a kill. */
const CONNECTIONS = 40;
/** Delay of the kill after the first acknowledgement, in milliseconds. */
const FROM_MS = 50;
const TO_MS = 500;
/** One in this number of requests is about a shared user. */
const SHARED_EVERY = 8;
const SHARED_USERS = 4;
/** Profiles per round that are also read through the API. */
const SAMPLE = 25;

/** A workflow that counts events per user, so that a double execution is visible. */
export const countingWorkflow = {
  name: 'Count',
  description: null,
  isActive: true,
  trigger: { eventType: 'counted' },
  steps: [{ type: 'update_profile', config: { increment: { count: 1 } } }],
};

/** One request. `id` is from a response 200; null: there was no response, so the result is unknown. */
type Request = { readonly messageId: string; readonly userId: string; id: string | null };

/** Results of one round. */
export type ServerRound = {
  readonly acknowledged: number;
  readonly inFlight: number;
  readonly found: number;
  readonly lost: number;
  /** Stored requests without a response. */
  readonly recovered: number;
  readonly retried: number;
  readonly mostEffects: number;
};

/** `problems` has one sentence per violation. */
export type ServerRun = { readonly rounds: readonly ServerRound[]; readonly problems: readonly string[] };

type Round = {
  readonly prefix: string;
  readonly requests: readonly Request[];
  readonly inFlight: number;
  readonly found: number;
  readonly recovered: number;
  readonly retried: readonly Request[];
};

type EventRow = { readonly id: string; readonly messageId: string; readonly person: string };
type ProfileRow = { readonly person: string; readonly traits: string | Readonly<Record<string, unknown>> };

const bodyOf = ({ messageId, userId }: Request) => ({ module: 'shop', eventType: 'counted', userId, messageId });
const isShared = ({ userId }: { userId: string }): boolean => userId.startsWith('shared-');

const loadUntilKilled = async (server: Running, deployment: Deployment, prefix: string, random: Random) => {
  const http = client(await urlOf(server), deployment.key, CONNECTIONS);
  const requests: Request[] = [];
  const refused: Answer[] = [];
  const delayMs = FROM_MS + random() * (TO_MS - FROM_MS);
  const killed = Promise.withResolvers<void>();
  let open = 0;
  let inFlight = 0;
  let isFirst = true;
  let isOver = false;

  const kill = (): void => {
    inFlight = open;
    isOver = true;
    killNine(server).then(killed.resolve, killed.reject);
  };
  const next = (): Request => {
    const at = requests.length;
    const userId = at % SHARED_EVERY === 0 ? `shared-${Math.floor(random() * SHARED_USERS)}` : `${prefix}u${at}`;
    const request: Request = { messageId: `${prefix}m${at}`, userId, id: null };
    requests.push(request);
    return request;
  };
  const connection = async (): Promise<void> => {
    while (!isOver) {
      const request = next();
      open += 1;
      try {
        const answer = await http.call('POST', '/api/v1/events', bodyOf(request));
        if (answer.status === 200) request.id = String(answer.data['id']);
        else if (!isPutOff(answer)) refused.push(answer);
      } catch {
        // The server was killed: the result of this request is unknown.
        isOver = true;
      }
      open -= 1;
      if (!isFirst || request.id === null) continue;
      isFirst = false;
      setTimeout(kill, delayMs);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  await killed.promise;
  http.close();
  return { requests, refused, inFlight };
};

const storedOf = (deployment: Deployment, prefix: string): Promise<EventRow[]> =>
  deployment.query<EventRow>(
    `select id, message_id as "messageId", person from events where message_id like '${prefix}%'`,
  );

/** Repeats half of the requests and compares each response with the stored data. */
const retry = async (http: Client, round: readonly Request[], stored: readonly EventRow[], random: Random) => {
  const before = new Map(stored.map(({ messageId, id }) => [messageId, id]));
  const problems: string[] = [];
  const retried = halfOf(round, random);
  await forAll(retried, CONNECTIONS, async (request) => {
    const { status, details, text } = await http.call('POST', '/api/v1/events', bodyOf(request));
    const id = before.get(request.messageId);
    const isRight = id === undefined ? status === 200 : status === 409 && details['id'] === id;
    if (!isRight) problems.push(`${request.messageId}, stored as ${id}, answered ${status} ${text}`);
  });
  return { retried, problems };
};

const countOf = ({ traits }: ProfileRow): number => {
  const all: Readonly<Record<string, unknown>> = typeof traits === 'string' ? JSON.parse(traits) : traits;
  return typeof all['count'] === 'number' ? all['count'] : 0;
};

/** Checks the final data: every event has exactly one run and one count. */
const readEffects = async (deployment: Deployment) => {
  const events = await storedOf(deployment, '');
  const runs = await deployment.query<{ eventId: string; status: string }>(
    'select trigger_event_id as "eventId", status from runs',
  );
  const profiles = await deployment.query<ProfileRow>('select person, traits from profiles');
  const ids = await deployment.query<{ messageId: string; eventId: string }>(
    'select message_id as "messageId", event_id as "eventId" from event_message_ids',
  );
  const byMessage = Map.groupBy(events, ({ messageId }) => messageId);
  const byPerson = Map.groupBy(events, ({ person }) => person);
  const runsByEvent = Map.groupBy(runs, ({ eventId }) => eventId);
  const counts = new Map(profiles.map((profile) => [profile.person, countOf(profile)]));
  const problems: string[] = [];
  const remembered = new Map(ids.map(({ messageId, eventId }) => [messageId, eventId]));
  for (const { id, messageId } of events) {
    if (remembered.get(messageId) !== id) problems.push(`the id ${messageId} is not remembered for its event`);
    const own = runsByEvent.get(id) ?? [];
    if (own.length !== 1 || own[0]?.status !== 'completed')
      problems.push(`the event of ${messageId} has the runs ${JSON.stringify(own)}`);
  }
  if (ids.length !== events.length) problems.push(`${ids.length} ids are remembered for ${events.length} events`);
  if (runs.length !== events.length) problems.push(`${runs.length} runs for ${events.length} events`);
  for (const [person, count] of counts) {
    const expected = byPerson.get(person)?.length ?? 0;
    if (count !== expected || count === 0) problems.push(`${person} counted ${count} of ${expected} events`);
  }
  for (const person of byPerson.keys()) if (!counts.has(person)) problems.push(`${person} has events and no profile`);
  /** Number of effects of a request; the maximum over all kinds. */
  const effectsOf = ({ messageId, userId }: Request): number => {
    const made = byMessage.get(messageId) ?? [];
    const started = made.reduce((sum, { id }) => sum + (runsByEvent.get(id)?.length ?? 0), 0);
    return Math.max(made.length, started, isShared({ userId }) ? 0 : (counts.get(`u:${userId}`) ?? 0));
  };
  return { byMessage, byPerson, effectsOf, problems };
};

type Effects = Awaited<ReturnType<typeof readEffects>>;

/** The same check through the API, for a sample of each round. */
const checkSample = async (http: Client, rounds: readonly Round[], effects: Effects, random: Random) => {
  const problems: string[] = [];
  const some = rounds.flatMap(({ requests }) => halfOf(requests, random).slice(0, SAMPLE));
  await forAll(some, CONNECTIONS, async (request) => {
    const stored = effects.byPerson.get(`u:${request.userId}`)?.length ?? 0;
    const { status, data, text } = await http.call('GET', `/api/v1/profiles/${request.userId}`);
    const isRight = stored === 0 ? status === 404 : JSON.stringify(data['traits']) === `{"count":${stored}}`;
    if (!isRight) problems.push(`${request.userId} with ${stored} events reads ${status} ${text}`);
    if (stored === 0 || isShared(request)) return;
    const events = await http.call('GET', `/api/v1/profiles/${request.userId}/events`);
    const ids = events.list.map((event) => event['messageId']);
    if (ids.join() !== request.messageId)
      problems.push(`events of ${request.userId} read ${events.status} ${events.text}`);
  });
  return problems;
};

const judge = (round: Round, effects: Effects): { figures: ServerRound; problems: string[] } => {
  const { requests, retried, recovered, found, inFlight } = round;
  const acknowledged = requests.filter(({ id }) => id !== null);
  const lost = acknowledged.filter(({ messageId, id }) => effects.byMessage.get(messageId)?.[0]?.id !== id);
  const mostEffects = Math.max(...requests.map(effects.effectsOf));
  const missing = retried.filter((request) => effects.effectsOf(request) !== 1);
  const known = new Set(requests.map(({ messageId }) => messageId));
  const strangers = [...effects.byMessage.keys()].filter((id) => id.startsWith(round.prefix) && !known.has(id));
  return {
    figures: {
      acknowledged: acknowledged.length,
      inFlight,
      found,
      lost: Math.max(lost.length, acknowledged.length - found),
      recovered,
      retried: retried.length,
      mostEffects,
    },
    problems: [
      ...missing.map(({ messageId }) => `${messageId} was retried and did not take effect once`),
      ...strangers.map((id) => `${id} was never sent`),
    ],
  };
};

/**
 * Kills the server `rounds` times. Rejects if a program does not start, or work does not finish in time.
 *
 * @param limited concurrency limiter of rounds
 */
export const killServer = async (
  deployment: Deployment,
  { rounds, seed, limited }: { readonly rounds: number; readonly seed: number; readonly limited: AtMost },
): Promise<ServerRun> => {
  const serve = (): Running => deployment.start(['serve', '--port', '0', '--worker']);
  const done: Round[] = [];
  const problems: string[] = [];
  let server = serve();
  const round = async (at: number): Promise<void> => {
    const random = randomOf(`server ${deployment.engine} ${seed} ${at}`);
    const prefix = `r${at}-`;
    const { requests, refused, inFlight } = await loadUntilKilled(server, deployment, prefix, random);
    problems.push(...refused.map(({ status, text }) => `under load: ${status} ${text}`));
    server = serve();
    const http = patient(client(await urlOf(server), deployment.key, CONNECTIONS));
    const stored = await storedOf(deployment, prefix);
    const there = new Set(stored.map(({ messageId }) => messageId));
    const found = requests.filter(({ id, messageId }) => id !== null && there.has(messageId)).length;
    const retries = await retry(http, requests, stored, random);
    problems.push(...retries.problems);
    http.close();
    done.push({ prefix, requests, inFlight, found, recovered: there.size - found, retried: retries.retried });
  };
  for (let at = 1; at <= rounds; at += 1) await limited(() => round(at));
  await untilDrained(deployment, server);
  const effects = await readEffects(deployment);
  const http = patient(client(await urlOf(server), deployment.key, CONNECTIONS));
  const sample = await checkSample(http, done, effects, randomOf(`sample ${seed}`));
  http.close();
  const exit = await server.stop();
  if (exit !== 0) problems.push(`the server ended with ${exit}: ${(await server.ended).err}`);
  const judged = done.map((round) => judge(round, effects));
  return {
    rounds: judged.map(({ figures }) => figures),
    problems: [
      ...problems,
      ...effects.problems,
      ...sample,
      ...judged.flatMap((one) => one.problems),
      ...(await deployment.damage()),
    ],
  };
};
