// The second part: some senders are regulars already, and two newcomers become regulars. That starts a workflow with a
// branch and a wait for an event, and a receiver on loopback gets webhooks about all of it.

import { readFileSync } from 'node:fs';
import { createRegulars, REGULAR } from './audience.ts';
import type { Client } from './client.ts';
import { mailKey, textKey } from './expected.ts';
import { EXPECTED_DELIVERIES, GREETED, IDS, NEWCOMERS, TEXTED, THANKED, WRITTEN } from './newcomers.ts';
import { batchesOf, type GithubEvent } from './payloads.ts';
import { type Delivered, forge, type Receiver } from './receiver.ts';
import { compareLists, type Line } from './report.ts';
import { until } from './until.ts';

type Run = { readonly id: string; readonly workflowName: string; readonly status: string };
type RunWithSteps = Run & { readonly steps: readonly { readonly path: string; readonly outcome: string }[] };
type Caught = { readonly address: string; readonly content: Readonly<Record<string, unknown>> };
type Delivery = { readonly status: string };
type Webhook = { readonly id: string; readonly secret: string };

const WORKFLOW = 'Regular welcomed';
const AWAITED = 'github.sponsorship';
const SUBSCRIBED = ['workflow.run_started', 'workflow.step_executed', 'workflow.run_completed'];

const bundleText = readFileSync(new URL('regulars.bundle.json', import.meta.url), 'utf8');

const deliveredKey = ({ type, data: { userId, path, status, outcome } }: Delivered): string =>
  [type, userId, path, status, outcome].filter((word) => word !== undefined).join(' ');

/** The real payloads of some events, as if another user had caused them. */
const asOf = (userId: string, events: readonly GithubEvent[]): GithubEvent[] =>
  events.map((event) => ({ ...event, userId, messageId: `${event.messageId} of ${userId}` }));

const runOf = async ({ get, list }: Client, userId: string): Promise<RunWithSteps | undefined> => {
  const runs = await list<Run>(`/automation/runs?userId=${userId}`);
  const own = runs.find(({ workflowName }) => workflowName === WORKFLOW);
  return own && get<RunWithSteps>(`/automation/runs/${own.id}`);
};

const runLine = async (client: Client, group: Line['group'], userId: string, expected: string): Promise<Line> => {
  const run = await runOf(client, userId);
  const steps = (run?.steps ?? []).map(({ path, outcome }) => `${path} ${outcome}`).toSorted();
  return { group, what: `${userId}: run and its steps`, expected, got: [run?.status, ...steps].join(', ') };
};

const outboxLine = async (
  { list }: Client,
  group: Line['group'],
  what: string,
  expected: readonly string[],
): Promise<Line> => {
  const own = NEWCOMERS.flatMap(({ email, phone }) => [email, phone]);
  const texts = await list<Caught>('/sandbox/messages?channel=sms');
  const mails = await list<Caught>('/sandbox/messages?channel=email');
  const isOwn = ({ address }: Caught): boolean => own.includes(address);
  const got = [
    ...texts.filter(isOwn).map(({ address, content: { body } }) => textKey(address, body)),
    ...mails.filter(isOwn).map(({ address, content: { subject, text } }) => mailKey(address, subject, text)),
  ];
  return { group, what, ...compareLists(expected, got) };
};

const sendAs = async ({ post }: Client, userId: string, events: readonly GithubEvent[]): Promise<void> => {
  for (const { body } of batchesOf(asOf(userId, events))) await post('/events/batch', body);
};

/** Deliveries that the receiver got, and that it rejects others. */
const webhookLines = async ({ list }: Client, { id }: Webhook, receiver: Receiver): Promise<Line[]> => {
  const group = 'webhook';
  const deliveries = (): Promise<Delivery[]> => list<Delivery>(`/webhooks/${id}/deliveries`);
  await until(async () => {
    const all = await deliveries();
    return all.length >= EXPECTED_DELIVERIES.length && all.every(({ status }) => status !== 'pending');
  });
  const succeeded = (await deliveries()).filter(({ status }) => status === 'delivered');
  const forged = await forge(receiver.url);
  return [
    {
      group,
      what: 'told and verified: type, user and step',
      ...compareLists(EXPECTED_DELIVERIES, receiver.delivered().map(deliveredKey)),
    },
    { group, what: 'deliveries that were taken', expected: EXPECTED_DELIVERIES.length, got: succeeded.length },
    {
      group,
      what: 'signed by a stranger: its answer, all that was refused',
      expected: '401, 1',
      got: `${forged}, ${receiver.refused()}`,
    },
  ];
};

/** Runs the second part and checks every result. `events` are those of the first part. */
export const regularLines = async (
  client: Client,
  receiver: Receiver,
  events: readonly GithubEvent[],
): Promise<Line[]> => {
  const { post } = client;
  const regulars = await createRegulars(client, events);
  const found = await regulars.lines('among the senders', []);
  await post('/automation/workflows/import', bundleText);
  const webhook = await post<Webhook>('/webhooks', JSON.stringify({ url: receiver.url, events: SUBSCRIBED }));
  receiver.trust(webhook.secret);

  const comments = events.filter(({ eventType }) => eventType === 'github.issue_comment').slice(0, REGULAR);
  for (const { userId, ...traits } of NEWCOMERS)
    await post('/identify', JSON.stringify({ userId, traits: { ...traits, type: 'User' } }));
  for (const userId of IDS) await sendAs(client, userId, comments.slice(1));
  const nearly = await regulars.explained('one comment short', WRITTEN.userId, false);
  for (const userId of IDS) await sendAs(client, userId, comments.slice(0, 1));
  const entered = await regulars.lines('with two newcomers', IDS);
  const arrived = await regulars.explained('with the last comment', WRITTEN.userId, true);

  await until(async () => {
    const runs = await Promise.all(IDS.map((userId) => runOf(client, userId)));
    return runs.every((run) => run?.status === 'waiting' && run.steps.length === 2);
  });
  const parted = [
    await runLine(client, 'branch', TEXTED.userId, 'waiting, 0 ok, 0.0.0 ok'),
    await runLine(client, 'branch', WRITTEN.userId, 'waiting, 0 ok, 0.else.0 ok'),
    await outboxLine(client, 'branch', 'a text message for one, a mail for the other', GREETED),
  ];

  const sponsorships = events.filter(({ eventType }) => eventType === AWAITED);
  const having = (action: string): GithubEvent[] =>
    sponsorships.filter(({ properties }) => properties.action === action).slice(0, 1);
  for (const userId of IDS) await sendAs(client, userId, having('pending_tier_change'));
  await sendAs(client, TEXTED.userId, having('created'));
  await until(async () => (await runOf(client, TEXTED.userId))?.status === 'completed');
  return [
    ...found,
    nearly,
    ...entered,
    arrived,
    ...parted,
    await runLine(client, 'wait', TEXTED.userId, 'completed, 0 ok, 0.0.0 ok, 1 ok, 2 ok'),
    await runLine(client, 'wait', WRITTEN.userId, 'waiting, 0 ok, 0.else.0 ok'),
    await outboxLine(client, 'wait', 'and a mail with what the event said', [...GREETED, THANKED]),
    ...(await webhookLines(client, webhook, receiver)),
  ];
};
