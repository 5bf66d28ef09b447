// Repeatedly kills the worker between claim and finish on one database, and compares sent with expected messages.
// Leases of a killed worker expire after 30 s, so several kills share one wait: a group takes less than a lease, and
// the worker after the last kill takes over all their rows.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Running } from '../beckon.ts';
import type { AtMost } from './at-most.ts';
import { type Deployment, killNine, urlOf } from './deployment.ts';
import { untilDrained } from './drained.ts';
import { type Client, client, forAll, patient } from './http.ts';
import { leaseWatch } from './leases.ts';
import { randomOf } from './random.ts';

/** Kills that share one wait; at about 4 s each, they end before the first lease expires. */
const GROUP = 5;
const PEOPLE = 240;
/** Recipients per send: up to 100 are expanded at acceptance, more by the worker. */
const SENDS = [60, 60, 60, 160];
/** Events per round that start a run with an email. */
const EVENTS = 40;
/** Maximum delay of the kill after a message of the round is in `sending`. */
const KILL_WITHIN_MS = 400;
const LOOK_MS = 15;
/** Timeout for a worker that hangs. */
const STARTED_WITHIN_MS = 540_000;

/** A workflow that sends one email per event. */
export const mailWorkflow = {
  name: 'Mail',
  description: null,
  isActive: true,
  trigger: { eventType: 'ordered' },
  steps: [{ type: 'send_email', config: { subject: 'Thank you', text: 'Your order is on its way.' } }],
};

/** Results of one kill. `takeoverMs` is the longest takeover of its rows. */
export type WorkerRound = {
  readonly messages: number;
  /** Messages with the result that their address determines. */
  readonly sent: number;
  readonly lost: number;
  /** Repeated messages that were in `sending` at a kill. More repeats than kills are in `problems`. */
  readonly sentTwice: number;
  readonly inSending: number;
  readonly takeoverMs: number;
};
/** `problems` has one sentence per violation. */
export type WorkerRun = { readonly rounds: readonly WorkerRound[]; readonly problems: readonly string[] };

type Message = {
  readonly id: string;
  readonly sendId: string;
  readonly person: string;
  readonly address: string;
  readonly status: string;
  readonly reason: string | null;
};
/** Requests of one round: recipients by send, and users by event. */
type Asked = { readonly sends: ReadonlyMap<string, readonly string[]>; readonly events: ReadonlyMap<string, string> };
type Round = { readonly requested: Asked; readonly killed: ReadonlySet<string>; takeoverMs(): number };

const userOf = (at: number): string => `p${at % PEOPLE}`;
/** One in six recipients responds after 3 s; one in twenty bounces, one in twenty is rejected. */
const addressOf = (at: number): string => {
  const act =
    at % 6 === 0 ? 'sandbox-slow-' : at % 20 === 7 ? 'sandbox-dead-' : at % 20 === 13 ? 'sandbox-reject-' : '';
  return `${act}${userOf(at)}@shop.example`;
};
/** A bounced address gets no more messages. */
const endsOf = (address: string): readonly string[] => {
  if (address.startsWith('sandbox-dead')) return ['bounced', 'suppressed bounced_address'];
  return [address.startsWith('sandbox-reject') ? 'failed' : 'sent'];
};

const succeed = async (answer: ReturnType<Client['call']>): Promise<string> => {
  const { status, data, text } = await answer;
  if (status > 201) throw new Error(`${status} ${text}`);
  return String(data['id']);
};

const addPeople = async (http: Client): Promise<void> => {
  const all = Array.from({ length: PEOPLE }, (_, at) => ({
    module: 'shop',
    eventType: 'joined',
    userId: userOf(at),
    traits: { email: addressOf(at) },
  }));
  await succeed(http.call('POST', '/api/v1/events/batch', { batch: all.slice(0, PEOPLE / 2) }));
  await succeed(http.call('POST', '/api/v1/events/batch', { batch: all.slice(PEOPLE / 2) }));
};

const request = async (http: Client, round: number): Promise<Asked> => {
  const sends = new Map<string, readonly string[]>();
  const events = new Map<string, string>();
  await forAll(SENDS, SENDS.length, async (size) => {
    const userIds = Array.from({ length: size }, (_, at) => userOf(at + round * 31));
    sends.set(
      await succeed(http.call('POST', '/api/v1/email/send', { subject: 'Hi', text: 'News', userIds })),
      userIds,
    );
  });
  await forAll(
    Array.from({ length: EVENTS }, (_, at) => at),
    EVENTS,
    async (at) => {
      const userId = userOf(at * 7 + round);
      events.set(
        await succeed(http.call('POST', '/api/v1/events', { module: 'shop', eventType: 'ordered', userId })),
        userId,
      );
    },
  );
  return { sends, events };
};

/** Messages in `sending` with their fencing tokens; a takeover changes the token. */
const inSending = async (deployment: Deployment): Promise<{ id: string; fence: number }[]> =>
  deployment.query("select id, fence from messages where status = 'sending'");
const keyOf = ({ id, fence }: { id: string; fence: number }): string => `${id}/${fence}`;

/** Waits until the worker sends a message that no killed worker had. */
const untilSending = async (deployment: Deployment, dead: ReadonlySet<string>): Promise<void> => {
  const deadline = performance.now() + STARTED_WITHIN_MS;
  while ((await inSending(deployment)).every((row) => dead.has(keyOf(row)))) {
    if (performance.now() > deadline) throw new Error(`nothing was handed over within ${STARTED_WITHIN_MS} ms`);
    await sleep(LOOK_MS);
  }
};

const readEnd = async (deployment: Deployment) => {
  const messages = await deployment.query<Message>(
    'select id, send_id as "sendId", person, address, status, reason from messages',
  );
  const caught = await deployment.query<{ messageId: string; times: number }>(
    'select message_id as "messageId", cast(count(*) as integer) as times from outbox_messages group by message_id',
  );
  const runs = await deployment.query<{ id: string; eventId: string; status: string }>(
    'select id, trigger_event_id as "eventId", status from runs',
  );
  const sends = await deployment.query<{ id: string; runId: string | null; isWhole: number }>(
    `select id, workflow_run_id as "runId", case when status = case when sent > 0 then 'sent' when failed > 0 then 'failed' else 'suppressed' end and
     sent + failed + suppressed = targeted and targeted = (select count(*) from messages where messages.send_id = sends.id) then 1 else 0 end as "isWhole"
     from sends`,
  );
  return {
    messages: Map.groupBy(messages, ({ sendId }) => sendId),
    times: new Map(caught.map(({ messageId, times }) => [messageId, times])),
    runs: Map.groupBy(runs, ({ eventId }) => eventId),
    sendsOfRun: Map.groupBy(sends, ({ runId }) => runId ?? ''),
    sends,
  };
};

type End = Awaited<ReturnType<typeof readEnd>>;

/** Checks one recipient of a send; returns a sentence unless there is one message with the expected result. */
const judgeMessage = (end: End, sendId: string, userId: string): { wrong: string | null; isSent: boolean } => {
  const own = (end.messages.get(sendId) ?? []).filter(({ person }) => person === `u:${userId}`);
  const [message] = own;
  if (!message || own.length > 1)
    return { wrong: `${own.length} messages of send ${sendId} to ${userId}`, isSent: false };
  const { status, reason } = message;
  const ended = status === 'suppressed' ? `${status} ${reason}` : status;
  const isSent = message.status === 'sent';
  const times = end.times.get(message.id) ?? 0;
  if (!endsOf(message.address).includes(ended)) return { wrong: `${message.address} ended ${ended}`, isSent };
  if (isSent !== times > 0)
    return { wrong: `${message.address}, ${message.status}, was caught ${times} times`, isSent };
  return { wrong: null, isSent };
};

const judge = ({ requested, killed, takeoverMs }: Round, end: End): { figures: WorkerRound; problems: string[] } => {
  const problems: string[] = [];
  const pairs = [...requested.sends].flatMap(([sendId, users]) => users.map((userId) => [sendId, userId] as const));
  for (const [eventId, userId] of requested.events) {
    const runs = end.runs.get(eventId) ?? [];
    const sends = runs.flatMap(({ id }) => end.sendsOfRun.get(id) ?? []);
    if (runs.length !== 1 || runs[0]?.status !== 'completed' || sends.length !== 1)
      problems.push(`the event ${eventId} has ${runs.length} runs (${runs[0]?.status}) and ${sends.length} sends`);
    pairs.push([sends[0]?.id ?? `of event ${eventId}`, userId]);
  }
  const judged = pairs.map(([sendId, userId]) => judgeMessage(end, sendId, userId));
  const wrong = judged.flatMap((one) => one.wrong ?? []);
  const twice = [...killed].filter((id) => (end.times.get(id) ?? 0) > 1).length;
  return {
    figures: {
      messages: pairs.length,
      sent: judged.filter(({ isSent }) => isSent).length,
      lost: wrong.length,
      sentTwice: twice,
      inSending: killed.size,
      takeoverMs: takeoverMs(),
    },
    problems: [...problems, ...wrong],
  };
};

/** Checks all rounds together: only messages in `sending` at a kill were sent twice. */
const judgeAll = (rounds: readonly Round[], end: End): string[] => {
  const deaths = new Map<string, number>();
  for (const { killed } of rounds) for (const id of killed) deaths.set(id, (deaths.get(id) ?? 0) + 1);
  const twice = [...end.times].filter(([id, times]) => times > 1 + (deaths.get(id) ?? 0));
  const requested = rounds.reduce((sum, round) => sum + round.requested.sends.size + round.requested.events.size, 0);
  return [
    ...twice.map(([id, times]) => `the message ${id} was sent ${times} times and ${deaths.get(id) ?? 0} died with it`),
    ...end.sends
      .filter(({ isWhole }) => isWhole !== 1)
      .map(({ id }) => `the figures of send ${id} are not those of it`),
    ...(end.sends.length === requested ? [] : [`${end.sends.length} sends for ${requested} that were asked for`]),
  ];
};

/** The last warnings and errors in the workers' logs. */
const complaintsOf = async (workers: readonly Running[]): Promise<string[]> => {
  const ends = await Promise.all(workers.map(({ ended }) => ended));
  return ends.flatMap(({ err }) => err.split('\n').filter((line) => /"level":(40|50)|warn|error/.test(line))).slice(-5);
};

const work = async (deployment: Deployment): Promise<Running> => {
  const worker = deployment.start(['worker']);
  await worker.says(/worker running/);
  return worker;
};

/**
 * Kills a worker `rounds` times. Rejects if a program does not start, or work does not finish in time.
 *
 * @param limited concurrency limiter of rounds
 */
export const killWorker = async (
  deployment: Deployment,
  { rounds, seed, limited }: { readonly rounds: number; readonly seed: number; readonly limited: AtMost },
): Promise<WorkerRun> => {
  const server = deployment.start(['serve', '--port', '0', '--no-worker']);
  const http = patient(client(await urlOf(server), deployment.key, EVENTS));
  await addPeople(http);
  const leases = leaseWatch(deployment);
  const done: Round[] = [];
  let worker = await work(deployment);
  const workers = [worker];
  /** Messages in `sending` at kills, by worker. */
  const dead = new Set<string>();
  const round = async (at: number): Promise<void> => {
    const random = randomOf(`worker ${deployment.engine} ${seed} ${at}`);
    const requested = await request(http, at);
    await untilSending(deployment, dead);
    // Most responses are immediate, the others take seconds: an earlier kill finds more messages in flight.
    await sleep(random() ** 3 * KILL_WITHIN_MS);
    await killNine(worker);
    const held = (await inSending(deployment)).filter((row) => !dead.has(keyOf(row)));
    for (const row of held) dead.add(keyOf(row));
    const killed = new Set(held.map(({ id }) => id));
    done.push({ requested, killed, takeoverMs: await leases.died() });
    worker = await work(deployment);
    workers.push(worker);
  };
  for (let at = 1; at <= rounds; at += 1) {
    await limited(() => round(at));
    if (at % GROUP === 0 || at === rounds) await untilDrained(deployment, worker);
  }
  await leases.stop();
  const end = await readEnd(deployment);
  const problems: string[] = [];
  for (const program of [worker, server]) {
    const exit = await program.stop();
    if (exit !== 0) problems.push(`a program ended with ${exit}: ${(await program.ended).err}`);
  }
  http.close();
  const judged = done.map((round) => judge(round, end));
  problems.push(...judged.flatMap((one) => one.problems), ...judgeAll(done, end), ...(await deployment.damage()));
  // Log entries first, because a long list of problems would hide them.
  if (problems.length > 0) problems.unshift(...(await complaintsOf(workers)));
  return { rounds: judged.map(({ figures }) => figures), problems };
};
