import type { Channel, PageQuery } from '@beckon/core';
import { InvalidArgumentError, Option } from 'commander';
import type { Answer, Api, RowOf } from '../api.ts';
import { screenOf } from '../cells.ts';
import type { CommonFlags, Context } from '../command-line.ts';
import { parseDuration } from '../duration.ts';
import { CliError, EXIT, type ExitCode, usageError } from '../exit-codes.ts';
import { isWholeId } from '../ids.ts';
import type { Io } from '../io.ts';
import { collect } from '../listing.ts';
import { audienceOf } from '../lookups.ts';
import { contentLines, shortAddress } from '../message-text.ts';
import { createOutput, type Output } from '../output.ts';
import { whileWaiting } from '../progress.ts';
import { inApi } from '../scoped.ts';
import { messageLines, sendLines } from '../send-text.ts';
import { suppressedText } from '../suppressed-text.ts';
import { noun, type Verb } from '../table/noun.ts';
import { type BodyFlags, bodyOf, pairOf } from './send-body.ts';

type Sent = Answer<`POST /${Channel}/send`>;
type DryRun = Extract<Sent, { readonly dryRun: true }>;
type Send = Answer<`GET /${Channel}/sends/{id}`>;
type Message = RowOf<`GET /${Channel}/sends/{id}/messages`>;
type TestFlags = BodyFlags & { readonly dryRun?: boolean; readonly wait?: number };

/** Polling interval of `--wait`, in milliseconds. Chosen: not noticeable. */
const POLL_MS = 250;
/** Maximum messages shown. Chosen: more than one user's devices. */
const MAX_MESSAGES = 100;

const ENDED = new Set(['sent', 'suppressed', 'failed', 'cancelled']);
const FAILURES = new Set(['failed', 'bounced']);

const waitOf = (text: string): number => {
  const ms = parseDuration(text);
  if (ms === null || ms === 0) throw new InvalidArgumentError('Pass a time such as 30s or 2m.');
  return ms;
};

const pause = (io: Pick<Io, 'after'>, ms: number): Promise<void> =>
  new Promise((resolve) => {
    io.after(ms, resolve);
  });

/** A send with its messages. */
type State = { readonly send: Send; readonly messages: readonly Message[] };

const messagesOf = async (api: Api, { channel, id }: Send): Promise<readonly Message[]> => {
  const read = (query: PageQuery) => api.page(`GET /${channel}/sends/{id}/messages`, { params: { id }, query });
  return (await collect(MAX_MESSAGES, read)).rows;
};

/** Waits until the send has ended or the time is over; returns its state. */
const follow = async ({ io }: Context, api: Api, { channel, id }: Send, waitMs: number): Promise<State> => {
  const endsAt = io.now().getTime() + waitMs;
  for (;;) {
    const send = await api.call(`GET /${channel}/sends/{id}`, { params: { id } });
    const leftMs = endsAt - io.now().getTime();
    if (ENDED.has(send.status) || leftMs <= 0) return { send, messages: await messagesOf(api, send) };
    await pause(io, Math.min(POLL_MS, leftMs));
  }
};

const timeoutText = ({ send, messages }: State, waitMs: number): string => {
  const [why] = messages.flatMap(({ errorCode, reason }) => errorCode ?? reason ?? []);
  return `Send ${send.id} did not finish within ${waitMs / 1_000} s: status ${send.status}${why === undefined ? '' : ` (${why})`}.`;
};

/** What delays the send: its provider if a worker tried, else a missing worker. */
const whyText = ({ send: { channel }, messages }: State): string => {
  if (messages.some(({ reason }) => reason === 'held'))
    return `The ${channel} provider rejects its credentials. Check them: beckon providers test --channel ${channel}.`;
  if (messages.some(({ errorCode, reason }) => errorCode !== null || reason === 'unreachable'))
    return `The ${channel} provider did not accept the message; it will be retried. Check it: beckon providers test --channel ${channel}.`;
  return 'Check that a worker runs ("beckon worker" or "beckon serve").';
};

const outOfTime = (state: State, waitMs: number): CliError =>
  new CliError(EXIT.unavailable, timeoutText(state, waitMs), {
    code: 'DEADLINE_EXCEEDED',
    details: state,
    hint: `${whyText(state)} Show the send: beckon sends show ${state.send.id} --messages --env ${state.send.environment}`,
  });

/** Exit code of a finished send: 1 if any message failed, because one device may fail and another not. */
const outcomeOf = ({ send, messages }: State): ExitCode =>
  send.status === 'sent' && !messages.some(({ status }) => FAILURES.has(status)) ? EXIT.ok : EXIT.negative;

const dryRunLines = (channel: Channel, { recipients, tokenCount, suppressed, messages }: DryRun): string[] => [
  `${tokenCount} ${tokenCount === 1 ? 'message' : 'messages'} to ${recipients} ${recipients === 1 ? 'recipient' : 'recipients'}`,
  ...Object.entries(suppressed).map(([reason, count]) => `suppressed: ${count} ${reason}`),
  ...messages.flatMap(({ userId, address, status, reason, content, ...more }) => [
    '',
    `to: ${shortAddress(channel, address) ?? '-'}${userId === null ? '' : ` (${userId})`}`,
    `result: ${status}${reason === null ? '' : ` (${reason})`}${'deferredUntil' in more ? ` until ${more.deferredUntil}` : ''}`,
    ...(content === null ? [] : contentLines({ ...content })),
  ]),
  '',
  'Dry run: nothing was sent.',
];

const noteWarnings = (output: Output, { warnings = [] }: { readonly warnings?: readonly string[] }): void => {
  for (const warning of warnings) output.note(warning);
};

/** Notes why messages were suppressed, once per reason. */
const noteSuppressed = (output: Output, { channel }: Send, messages: readonly Message[]): void => {
  for (const reason of new Set(messages.map((message) => message.reason)))
    if (reason !== null) output.note(suppressedText(channel, reason));
};

const whereToLook = ({ id, environment }: Send): string =>
  environment === 'test'
    ? 'A worker renders it. Show it: beckon outbox list'
    : `Show its status: beckon sends show ${id} --messages --env prod`;

/** Builds the body before a database is opened; returns the call. Throws CliError usage. */
const submitter = (channel: Channel, flags: TestFlags): ((api: Api) => Promise<Sent>) => {
  const body = { ...bodyOf(channel, flags), ...(flags.dryRun === true ? { dryRun: true } : {}) };
  // Safe: bodyOf builds the body of this channel.
  return (api) => api.call(`POST /${channel}/send`, { body: body as never });
};

const sendTest = async (
  context: Context,
  flags: CommonFlags & TestFlags,
  channel: Channel,
): Promise<ExitCode | undefined> => {
  if (flags.dryRun === true && flags.wait !== undefined) throw usageError('--wait and --dry-run exclude each other.');
  const submit = submitter(channel, flags);
  const work = async (api: Api): Promise<ExitCode> => {
    const output = createOutput(context.io, flags);
    const { audience } = flags;
    // Ids are not looked up: the API checks the plan before the id.
    const isNamed = audience !== undefined && !isWholeId(audience);
    const named = isNamed ? submitter(channel, { ...flags, audience: (await audienceOf(api, audience)).id }) : submit;
    const answer = await named(api);
    noteWarnings(output, answer);
    if ('dryRun' in answer) {
      output.answer(answer, dryRunLines(channel, answer));
      return EXIT.ok;
    }
    if (flags.wait === undefined) {
      output.answer(answer, sendLines(answer));
      if (answer.status === 'suppressed') noteSuppressed(output, answer, await messagesOf(api, answer));
      else output.note(whereToLook(answer));
      return EXIT.ok;
    }
    const { wait } = flags;
    const state = await whileWaiting(context.io, flags, 'Waiting for the result', () =>
      follow(context, api, answer, wait),
    );
    if (!ENDED.has(state.send.status)) throw outOfTime(state, wait);
    const lines = [...sendLines(state.send), '', ...messageLines(state.messages, screenOf(context.io))];
    output.answer({ ...state.send, messages: state.messages }, lines);
    noteSuppressed(output, state.send, state.messages);
    return outcomeOf(state);
  };
  return inApi(context, flags, { isSending: flags.dryRun !== true }, work);
};

const variables = 'may contain {{variables}}';
const data = new Option('--data <key=value>', 'Data for the app; repeatable').argParser(pairOf);
const recipient = new Option('--user <id>', "Recipient user, at the profile's addresses");

const sending = (
  channel: Channel,
  about: string,
  examples: readonly string[],
  options: readonly Option[],
  alternatives = '',
): Verb => ({
  about,
  alternatives,
  examples,
  exits: '0 sent, 1 failed, 8 no provider, 10 not finished within --wait',
  options: [
    ...options,
    new Option('--dry-run', 'Render without sending'),
    new Option('--wait <time>', 'Wait for the result, for example 30s').argParser(waitOf),
  ],
  isRemote: true,
  // Proof of the cast: TestFlags has the options of the verbs below; tests run each command.
  run: (context, flags) => sendTest(context, flags as typeof flags & TestFlags, channel),
});

const required = (flag: string, text: string): Option => new Option(flag, text).makeOptionMandatory();
const subject = new Option('--subject <text>', `Subject, ${variables}`).default('Test');
const body = new Option('--body <text>', `Text, ${variables}`).default('This is a test.');
const segmentOptions = [
  required('--audience <audience>', 'Segment id or name'),
  required('--body <text>', `Text, ${variables}`),
] as const;

/** Test messages to one recipient. */
const test = noun('test', 'Send one test message', {
  push: sending(
    'push',
    'Send a test push to a user or a token',
    ['--user ada --env test', '--user ada --env prod --wait 30s'],
    [
      recipient,
      new Option('--token <token>', 'Recipient device token, registered or not'),
      new Option('--title <text>', `Title, ${variables}`).default('Test'),
      body,
      data,
    ],
    '(--user <id> | --token <token>)',
  ),
  email: sending(
    'email',
    'Send a test email to a user or an address',
    ['--user ada --env test', '--to you@example.com --env prod --wait 30s'],
    [recipient, new Option('--to <address>', 'Recipient address'), subject, body],
    '(--user <id> | --to <address>)',
  ),
  sms: sending(
    'sms',
    'Send a test SMS to a user or a number',
    ['--user ada --env test', '--to +14155550123 --env prod --wait 30s'],
    [recipient, new Option('--to <number>', 'Recipient number in E.164, such as +14155550123'), body],
    '(--user <id> | --to <number>)',
  ),
});

/** Sends from the command line, to one recipient or to a segment. */
export const send = noun('send', 'Send a test message, or send to a segment', {
  test,
  push: sending(
    'push',
    'Send a push to a segment',
    ["--audience Beta --body 'Hi' --env test"],
    [...segmentOptions, new Option('--title <text>', `Title, ${variables}`), data],
  ),
  email: sending(
    'email',
    'Send an email to a segment',
    ["--audience Beta --subject 'News' --body 'Hi' --env test"],
    [...segmentOptions, required('--subject <text>', `Subject, ${variables}`)],
  ),
  sms: sending('sms', 'Send an SMS to a segment', ["--audience Beta --body 'Hi' --env test"], segmentOptions),
});
