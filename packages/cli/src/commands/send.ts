import type { Channel, PageQuery } from '@beckon/core';
import { type Command, InvalidArgumentError } from 'commander';
import type { Answer, Api, RowOf } from '../api.ts';
import { audienceOf } from '../audience-of.ts';
import {
  act,
  type CommonFlags,
  type Context,
  databaseOptions,
  environmentOption,
  outputOptions,
  type Register,
  remoteOptions,
  scopeOptions,
} from '../command-line.ts';
import { parseDuration } from '../duration.ts';
import { CliError, EXIT, type ExitCode, usageError } from '../exit-codes.ts';
import { isWholeId } from '../ids.ts';
import type { Io } from '../io.ts';
import { collect } from '../listing.ts';
import { contentLines, shortAddress } from '../message-text.ts';
import { createOutput, type Output } from '../output.ts';
import { whileWaiting } from '../progress.ts';
import { inApi } from '../scoped.ts';
import { messageLines, sendLines } from '../send-text.ts';
import { suppressedText } from '../suppressed-text.ts';
import { screenOf } from '../table/screen.ts';
import { type BodyFlags, bodyOf, pairOf } from './send-body.ts';

type Sent = Answer<`POST /${Channel}/send`>;
type DryRun = Extract<Sent, { readonly dryRun: true }>;
type Send = Answer<`GET /${Channel}/sends/{id}`>;
type Message = RowOf<`GET /${Channel}/sends/{id}/messages`>;
type TestFlags = BodyFlags & { readonly dryRun?: boolean; readonly wait?: number };

/** Milliseconds between looks at a send that is waited for. Ours: a person sees no difference. */
const POLL_MS = 250;
/** Messages that are shown. Ours: a test goes to one person's devices. */
const MAX_MESSAGES = 100;

const ENDED = new Set(['sent', 'suppressed', 'failed', 'cancelled']);
const GONE_WRONG = new Set(['failed', 'bounced']);

const waitOf = (text: string): number => {
  const ms = parseDuration(text);
  if (ms === null || ms === 0) throw new InvalidArgumentError('It is a time such as 30s or 2m.');
  return ms;
};

const pause = (io: Pick<Io, 'after'>, ms: number): Promise<void> =>
  new Promise((resolve) => {
    io.after(ms, resolve);
  });

/** What is known of a send: itself and its messages. */
type State = { readonly send: Send; readonly messages: readonly Message[] };

const messagesOf = async (api: Api, { channel, id }: Send): Promise<readonly Message[]> => {
  const read = (query: PageQuery) => api.page(`GET /${channel}/sends/{id}/messages`, { params: { id }, query });
  return (await collect(MAX_MESSAGES, read)).rows;
};

/** The state of a send once it ended, or at the end of the time. */
const follow = async ({ io }: Context, api: Api, { channel, id }: Send, waitMs: number): Promise<State> => {
  const endsAt = io.now().getTime() + waitMs;
  for (;;) {
    const send = await api.call(`GET /${channel}/sends/{id}`, { params: { id } });
    const leftMs = endsAt - io.now().getTime();
    if (ENDED.has(send.status) || leftMs <= 0) return { send, messages: await messagesOf(api, send) };
    await pause(io, Math.min(POLL_MS, leftMs));
  }
};

const stillText = ({ send, messages }: State, waitMs: number): string => {
  const [why] = messages.flatMap(({ errorCode, reason }) => errorCode ?? reason ?? []);
  return `Send ${send.id} is still ${send.status} after ${waitMs / 1_000} s${why === undefined ? '' : ` (${why})`}.`;
};

/** What keeps it: its provider, where a worker tried. */
const whyText = ({ send: { channel }, messages }: State): string => {
  if (messages.some(({ reason }) => reason === 'parked'))
    return `The provider of ${channel} refuses its credentials, and messages are held until it takes them: beckon providers test --channel ${channel}.`;
  if (messages.some(({ errorCode, reason }) => errorCode !== null || reason === 'unreachable'))
    return `The provider of ${channel} did not take it, and it is tried again: beckon providers test --channel ${channel}.`;
  return 'Is a worker running ("beckon worker", "beckon serve")?';
};

const outOfTime = (state: State, waitMs: number): CliError =>
  new CliError(EXIT.unavailable, stillText(state, waitMs), {
    code: 'DEADLINE_EXCEEDED',
    details: state,
    hint: `${whyText(state)} Look again: beckon sends get ${state.send.id} --messages --env ${state.send.environment}`,
  });

/** What came of it. A person is told of every message, since one device may fail where another does not. */
const outcomeOf = ({ send, messages }: State): ExitCode =>
  send.status === 'sent' && !messages.some(({ status }) => GONE_WRONG.has(status)) ? EXIT.ok : EXIT.negative;

const dryRunLines = (channel: Channel, { recipients, tokenCount, suppressed, messages }: DryRun): string[] => [
  `${tokenCount} ${tokenCount === 1 ? 'message' : 'messages'} to ${recipients} ${recipients === 1 ? 'recipient' : 'recipients'}`,
  ...Object.entries(suppressed).map(([reason, count]) => `suppressed: ${count} ${reason}`),
  ...messages.flatMap(({ userId, address, status, reason, content, ...more }) => [
    '',
    `to: ${shortAddress(channel, address) ?? '-'}${userId === null ? '' : ` (${userId})`}`,
    `would be: ${status}${reason === null ? '' : ` (${reason})`}${'deferredUntil' in more ? ` until ${more.deferredUntil}` : ''}`,
    ...(content === null ? [] : contentLines(content)),
  ]),
  '',
  'dry run, nothing was written',
];

const noteWarnings = (output: Output, { warnings = [] }: { readonly warnings?: readonly string[] }): void => {
  for (const warning of warnings) output.note(warning);
};

/** Says why nobody was written to, for each reason once. */
const noteSuppressed = (output: Output, { channel }: Send, messages: readonly Message[]): void => {
  for (const reason of new Set(messages.map((message) => message.reason)))
    if (reason !== null) output.note(suppressedText(channel, reason));
};

const whereToLook = ({ id, environment }: Send): string =>
  environment === 'test'
    ? 'See it once a worker took it: beckon outbox list'
    : `See what becomes of it: beckon sends get ${id} --messages --env prod`;

/** What sends the body that the flags make, which is made before a database is opened. Throws CliError usage. */
const submitter = (channel: Channel, flags: TestFlags): ((api: Api) => Promise<Sent>) => {
  const body = { ...bodyOf(channel, flags), ...(flags.dryRun === true ? { dryRun: true } : {}) };
  // Safe: the body is that of the channel.
  return (api) => api.call(`POST /${channel}/send`, { body: body as never });
};

const sendTest = async (
  context: Context,
  flags: CommonFlags & TestFlags,
  channel: Channel,
): Promise<ExitCode | undefined> => {
  if (flags.dryRun === true && flags.wait !== undefined)
    throw usageError('--wait has nothing to wait for in a dry run.');
  const submit = submitter(channel, flags);
  const work = async (api: Api): Promise<ExitCode> => {
    const output = createOutput(context.io, flags);
    const { audience } = flags;
    // The send itself says that no audience has an id: a plan without such sends is named first.
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
    const state = await whileWaiting(context.io, flags, 'waiting for what becomes of it', () =>
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

/**
 * `beckon send test push|email|sms`: one message by hand, to see whether it arrives. `beckon send push|email|sms`: to an
 * audience.
 */
export const register: Register = (program, context) => {
  const all = program.command('send').description('send a message by hand, or to the members of an audience');
  const group = all.command('test').description('send one message, to see whether it arrives');
  const common = (parent: Command, channel: Channel, description: string): Command =>
    outputOptions(remoteOptions(scopeOptions(databaseOptions(parent.command(channel).description(description)))))
      .addOption(environmentOption())
      .option('--dry-run', 'render and print it, send nothing')
      .option(
        '--wait <time>',
        'wait for what becomes of it, such as 30s; exits 1 when it failed, 10 when time is up',
        waitOf,
      )
      .action(act<TestFlags>(context, (flags) => sendTest(context, flags, channel)));
  const leaf = (channel: Channel, description: string): Command =>
    common(group, channel, description).option('--user <id>', 'to this user, on whatever addresses the profile has');
  const wide = (channel: Channel, description: string): Command =>
    common(all, channel, description)
      .requiredOption('--audience <audience>', 'id or name of the segment to send to')
      .requiredOption('--body <text>', 'may hold variables');

  wide('push', 'a push to the devices of every member of an audience')
    .option('--title <text>', 'may hold variables')
    .option('--data <key=value>', 'for the app; may be given several times', pairOf);
  wide('email', 'a mail to every member of an audience').requiredOption('--subject <text>', 'may hold variables');
  wide('sms', 'a text message to every member of an audience');

  leaf('push', 'a push to the devices of a user, or to one token')
    .option('--token <token>', 'to this device, whether it is registered or not')
    .option('--title <text>', 'may hold variables', 'Test')
    .option('--body <text>', 'may hold variables', 'This is a test.')
    .option('--data <key=value>', 'for the app; may be given several times', pairOf);
  leaf('email', 'a mail to a user or an address')
    .option('--to <address>', 'to this address')
    .option('--subject <text>', 'may hold variables', 'Test')
    .option('--body <text>', 'may hold variables', 'This is a test.');
  leaf('sms', 'a text message to a user or a number')
    .option('--to <number>', 'to this number, in E.164 such as +14155550123')
    .option('--body <text>', 'may hold variables', 'This is a test.');
};
