// Sends real payloads and compares the results with the expected ones. Exits 1 on any difference.

import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { messageLines, profileLines, type Run, runLines, type Story } from './checks.ts';
import { reachable } from './devices.ts';
import { type Bundle, expectedOf } from './expected.ts';
import { batchesOf, readEvents, sendersOf } from './payloads.ts';
import { readerLines } from './readers.ts';
import { openReceiver, type Receiver } from './receiver.ts';
import { refusalLines } from './refusals.ts';
import { regularLines } from './regulars.ts';
import { differencesOf, type Line, sum, tableOf } from './report.ts';
import { FOLDER, KEY_FILE, type Service, startService } from './service.ts';
import { simulatedLines } from './simulated.ts';

type BatchAnswer = { readonly accepted: number; readonly duplicates: number; readonly rejected: readonly unknown[] };
type Send = { readonly status: string };

const SETTLED_WITHIN_MS = 60_000;
const POLL_MS = 500;
const CHANNELS = ['push', 'email', 'sms'];

const bundleText = readFileSync(new URL('github-digest.bundle.json', import.meta.url), 'utf8');
const bundle: Bundle = JSON.parse(bundleText);

/** Registers every device twice: the second time it is known. */
const registerAll = async ({ request }: Service, { devices }: Story): Promise<Line> => {
  const statuses: number[] = [];
  const ids = new Set<string>();
  for (const { userId, platform, token } of [...devices.values(), ...devices.values()]) {
    const { status, text } = await request('POST', '/push/tokens', JSON.stringify({ userId, platform, token }));
    const answer: { readonly data?: { readonly id: string } } = JSON.parse(text);
    statuses.push(status);
    ids.add(answer.data?.id ?? text);
  }
  const { size } = devices;
  return {
    group: 'devices',
    what: 'registered, registered again, ids',
    expected: `${size}, ${size}, ${size}`,
    got: `${statuses.filter((status) => status === 201).length}, ${statuses.filter((status) => status === 200).length}, ${ids.size}`,
  };
};

const sendAll = async (service: Service, story: Story): Promise<Line[]> => {
  const { post } = service;
  const { events, senders } = story;
  await post('/automation/workflows/import', bundleText);
  for (const [userId, traits] of senders) await post('/identify', JSON.stringify({ userId, traits }));
  const registered = await registerAll(service, story);
  const batches = batchesOf(events);
  const answers: BatchAnswer[] = [];
  for (const { body } of batches) answers.push(await post<BatchAnswer>('/events/batch', body));
  const [first] = batches;
  const again = first && (await post<BatchAnswer>('/events/batch', first.body));
  return [
    registered,
    {
      group: 'events',
      what: `accepted, in ${batches.length} batches`,
      expected: events.length,
      got: sum(answers.map(({ accepted }) => accepted)),
    },
    {
      group: 'events',
      what: 'first batch again: accepted, duplicates, rejected',
      expected: `0, ${first?.count}, 0`,
      got: `${again?.accepted}, ${again?.duplicates}, ${again?.rejected.length}`,
    },
  ];
};

/** Waits until the worker is idle. At the time limit it reports nothing: the table shows what is missing. */
const waitUntilIdle = async ({ list }: Service, { expected }: Story): Promise<void> => {
  const deadline = Date.now() + SETTLED_WITHIN_MS;
  const total = sum([...expected.runs.values()].map(({ completed, waiting }) => completed + waiting));
  while (Date.now() < deadline) {
    const runs = await list<Run>('/automation/runs');
    const isOver = runs.length >= total && runs.every(({ status }) => status !== 'running');
    const sends: Send[] = [];
    for (const channel of isOver ? CHANNELS : []) sends.push(...(await list<Send>(`/${channel}/sends`)));
    if (isOver && sends.every(({ status }) => status !== 'queued' && status !== 'sending')) return;
    await sleep(POLL_MS);
  }
};

const whereToLook = ({ url, orgId, projectId }: Service, postgres: string | undefined): string => {
  const { hostname, port } = new URL(url);
  const db = postgres === undefined ? '' : ' --db "$DATABASE_URL"';
  const scope = postgres === undefined ? '' : ` --org ${orgId} --project ${projectId}`;
  const curl = (path: string): string => `  curl -H "x-api-key: $(cat ${FOLDER}/${KEY_FILE})" "${url}/api/v1${path}"`;
  return [
    'Look at the messages:',
    `  npx beckon outbox list --data-dir ${FOLDER}${db}${scope}`,
    'Look at the rest through the interface. Start it again where it was:',
    `  npx beckon serve --data-dir ${FOLDER}${db} --host ${hostname} --port ${port} --worker`,
    'and in another terminal ask for profiles, the events of one, runs that wait, audiences, and pushes:',
    curl('/profiles'),
    curl('/profiles/Codertocat/events?limit=5'),
    curl('/automation/runs?status=waiting'),
    curl('/audiences'),
    curl('/sandbox/messages?channel=push'),
  ].join('\n');
};

const tour = async (service: Service, receiver: Receiver): Promise<Line[]> => {
  const events = readEvents();
  const devices = reachable();
  const senders = sendersOf(events, devices);
  const anonymous = events.filter(({ userId }) => userId === undefined).map(({ anonymousId }) => anonymousId);
  console.log(`${events.length} payloads of ${senders.size} senders go to ${service.url}.`);
  console.log(`Without a sender, and so under an anonymous id: ${anonymous.join(', ')}.`);
  const story: Story = { events, senders, devices, expected: expectedOf(bundle, events, senders, devices) };
  const sent = await sendAll(service, story);
  const refused = await refusalLines(service);
  await waitUntilIdle(service, story);
  return [
    ...sent,
    ...refused,
    ...(await profileLines(service, story)),
    ...(await runLines(service, story)),
    ...(await messageLines(service, story)),
    ...(await regularLines(service, receiver, events)),
    ...(await readerLines(service)),
    ...(await simulatedLines()),
  ];
};

const { values } = parseArgs({ options: { db: { type: 'string' } } });
const receiver = await openReceiver();
const service = await startService(values.db);
const lines: Line[] = [];
let exitCode: number | null;
try {
  lines.push(...(await tour(service, receiver)));
} finally {
  exitCode = await service.stop();
  receiver.close();
}
lines.push({ group: 'service', what: 'exit code after SIGTERM', expected: 0, got: String(exitCode) });

const differences = differencesOf(lines);
console.log(`\n${tableOf(lines)}\n\n${whereToLook(service, values.db)}\n`);
console.log(differences.length === 0 ? `ok: ${lines.length} of ${lines.length}` : `${differences.length} differ`);
process.exitCode = differences.length === 0 ? 0 : 1;
