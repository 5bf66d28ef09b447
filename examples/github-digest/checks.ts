import type { Client } from './client.ts';
import type { Reachable } from './devices.ts';
import { type Expected, mailKey, pushKey, textKey } from './expected.ts';
import type { GithubEvent, Traits } from './payloads.ts';
import { compareLists, type Line, sum } from './report.ts';

/** Input and expected output. */
export type Story = {
  readonly events: readonly GithubEvent[];
  readonly senders: ReadonlyMap<string, Traits>;
  /** Senders with a device and a phone number, by userId. */
  readonly devices: ReadonlyMap<string, Reachable>;
  readonly expected: Expected;
};

type Profile = { readonly userId: string; readonly traits: Readonly<Record<string, unknown>> };
/** The checked part of a run; times are ISO 8601. */
export type Run = {
  readonly id: string;
  readonly userId: string | null;
  readonly workflowName: string;
  readonly status: string;
  readonly startedAt: string;
  readonly next_step_at: string | null;
};
type RunSteps = { readonly steps: readonly { readonly outcome: string; readonly reason: string | null }[] };
type Caught = { readonly address: string; readonly content: Readonly<Record<string, unknown>> };
type Token = { readonly platform: string; readonly token: string; readonly isActive: boolean };
type Send = { readonly status: string; readonly counts: { readonly sent: number } };

/** Users, their traits, their histories and their devices. */
export const profileLines = async (
  { get, list }: Client,
  { events, senders, devices, expected }: Story,
): Promise<Line[]> => {
  const group = 'profiles';
  const profiles = await list<Profile>('/profiles');
  const traits = profiles.map(({ userId, traits: { login, name, type, email, phone } }) =>
    JSON.stringify([userId, { login, name, type, email, phone }]),
  );
  const counters = profiles.flatMap(({ userId, traits: all }) =>
    Object.entries(all).flatMap(([name, value]) => (typeof value === 'number' ? [`${userId} ${name} ${value}`] : [])),
  );
  const history: string[] = [];
  for (const { userId } of profiles) {
    const told = await list<{ readonly eventType: string }>(`/profiles/${encodeURIComponent(userId)}/events`);
    history.push(...told.map(({ eventType }) => eventType));
  }
  // Events that the service raised for messages of workflows.
  const pushes = history.filter((eventType) => eventType === 'push.sent').length;
  const tokens: string[] = [];
  for (const { userId } of profiles) {
    const one = await get<{ readonly tokens: readonly Token[] }>(`/profiles/${encodeURIComponent(userId)}`);
    for (const { platform, token, isActive } of one.tokens)
      tokens.push(JSON.stringify([userId, platform, token, isActive]));
  }
  const known = [...devices.values()].map(({ userId, platform, address }) =>
    JSON.stringify([userId, platform, address, true]),
  );
  const sent = events.filter(({ userId }) => userId !== undefined).length;
  return [
    {
      group,
      what: 'users, each with login, name, type and email, some with a phone',
      ...compareLists(
        [...senders].map((one) => JSON.stringify(one)),
        traits,
      ),
    },
    { group, what: 'devices: user, platform and token', ...compareLists(known, tokens) },
    {
      group,
      what: 'their events, identify calls included',
      expected: sent + senders.size,
      got: history.length - pushes,
    },
    { group, what: 'pushes in their histories', expected: expected.pushes.length, got: pushes },
    {
      group,
      what: 'traits that workflows count',
      expected: expected.counters.toSorted().join(', '),
      got: counters.toSorted().join(', '),
    },
  ];
};

/** Runs per workflow, completed and waiting; other statuses are errors. */
export const runLines = async ({ list }: Client, { expected }: Story): Promise<Line[]> => {
  const runs = await list<Run>('/automation/runs');
  const lines = [...expected.runs].flatMap(([name, { completed, waiting, waitMinutes }]): Line[] => {
    const having = (status: string): readonly Run[] =>
      runs.filter((run) => run.workflowName === name && run.status === status);
    // The wait begins when the previous step ended, which is after the run began and before now.
    const isOnTime = ({ startedAt, next_step_at }: Run): boolean => {
      const beganAt = Date.parse(next_step_at ?? '') - waitMinutes * 60_000;
      return beganAt >= Date.parse(startedAt) && beganAt <= Date.now();
    };
    const done: Line = {
      group: 'runs',
      what: `${name}: completed`,
      expected: completed,
      got: having('completed').length,
    };
    const waits: Line = {
      group: 'runs',
      what: `${name}: waiting, next step in ${waitMinutes} minutes`,
      expected: waiting,
      got: having('waiting').filter(isOnTime).length,
    };
    return waiting === 0 ? [done] : [done, waits];
  });
  const total = sum([...expected.runs.values()].map(({ completed, waiting }) => completed + waiting));
  return [...lines, { group: 'runs', what: 'all', expected: total, got: runs.length }];
};

/** Sums the `sent` counts of a channel's sends, which must all be finished. */
const sentLine = async ({ list }: Client, channel: 'push' | 'email' | 'sms', expected: number): Promise<Line> => {
  const sends = await list<Send>(`/${channel}/sends`);
  const done = sends.filter(({ status }) => status === 'sent');
  return {
    group: 'messages',
    what: `${channel}: sends, and messages that they count as sent`,
    expected: `${expected}, ${expected}`,
    got: `${done.length}, ${sum(done.map(({ counts }) => counts.sent))}`,
  };
};

/** Messages in the outbox, and messages that were not sent. */
export const messageLines = async (client: Client, { expected }: Story): Promise<Line[]> => {
  const { get, list } = client;
  const caught = (channel: string): Promise<Caught[]> => list<Caught>(`/sandbox/messages?channel=${channel}`);
  const mails = (await caught('email')).map(({ address, content: { subject, text } }) =>
    mailKey(address, subject, text),
  );
  const pushes = (await caught('push')).map(({ address, content: { platform, title, body, data } }) =>
    pushKey(platform, address, title, body, data),
  );
  const texts = (await caught('sms')).map(({ address, content: { body } }) => textKey(address, body));
  const anonymous = (await list<Run>('/automation/runs')).filter(({ userId }) => userId === null);
  let suppressed = 0;
  for (const { id } of anonymous) {
    const { steps } = await get<RunSteps>(`/automation/runs/${id}`);
    suppressed += steps.filter(({ outcome, reason }) => outcome === 'suppressed' && reason === 'no_address').length;
  }
  const group = 'messages';
  return [
    { group, what: 'mails in the outbox: address, subject and text', ...compareLists(expected.mails, mails) },
    { group, what: 'pushes in the outbox: device, title, body and data', ...compareLists(expected.pushes, pushes) },
    { group, what: 'text messages in the outbox: number and body', ...compareLists(expected.texts, texts) },
    await sentLine(client, 'email', expected.mails.length),
    await sentLine(client, 'push', expected.pushes.length),
    await sentLine(client, 'sms', expected.texts.length),
    { group, what: 'suppressed, since an anonymous id has no address', expected: expected.suppressed, got: suppressed },
  ];
};
