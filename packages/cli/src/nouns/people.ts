import { InvalidArgumentError, Option } from 'commander';
import type { Answer, Input, RowOf } from '../api.ts';
import type { Context } from '../command-line.ts';
import { durationText, parseDuration } from '../duration.ts';
import { eventNamesHelp, namesEvents, notEventId, OWN_EVENTS } from '../event-names.ts';
import { CliError, EXIT, usageError } from '../exit-codes.ts';
import { wholeId } from '../ids.ts';
import { collect, limitOption, noteMore } from '../listing.ts';
import { CHANNELS } from '../names.ts';
import { fieldLines } from '../scoped.ts';
import { custom } from '../table/custom.ts';
import { noun, ROWS } from '../table/noun.ts';
import { calls, lists } from '../table/verbs.ts';
import { follow, type TailOptions } from '../tail.ts';
import { clean } from '../text.ts';

type ExplainedEvent = Answer<'GET /events/{id}'>;
type Profile = Answer<'GET /profiles/{userId}'>;
type Subscriptions = Answer<'GET /profiles/{userId}/subscriptions'>;
type SubscriptionsInput = NonNullable<Input<'PUT /profiles/{userId}/subscriptions'>['body']>;

/** How far `events tail` looks back. */
const SINCE_MS = 600_000;

const sinceOf = (text: string): number => {
  const ms = parseDuration(text);
  if (ms === null) throw new InvalidArgumentError('It is a time such as 10m or 2h.');
  return ms;
};

const personOf = ({ userId, anonymousId }: RowOf<'GET /events'>): string | null => userId ?? anonymousId;

const shown = (value: unknown): string => JSON.stringify(value) ?? 'nothing';

/** Why one workflow did or did not start, in words. */
const verdictText = ({ verdict, runId, filters = [], ...more }: ExplainedEvent['workflows'][number]): string => {
  switch (verdict) {
    case 'started':
      return `started run ${runId}`;
    case 'inactive':
      return 'not started: it was disabled';
    case 'filter': {
      const each = filters.map(
        (one) =>
          `${one.path} should be ${shown(one.expected)} and ${'actual' in one ? `was ${shown(one.actual)}` : 'was not there'}`,
      );
      return `not started: ${each.join('; ')}`;
    }
    case 'audience':
      return `not started: the person was not in audience ${more.audienceId}`;
    case 'depth':
      return `stopped: runs had set each other off too often${runId === undefined ? '' : ` (run ${runId})`}`;
    case 'fan_out':
      return `stopped: the event that it goes back to had started as many runs as one may${runId === undefined ? '' : ` (run ${runId})`}`;
    case 'waiting':
      return 'not started yet: no worker has looked at the event';
    case 'not_loaded':
      return 'not started: it had changed a moment before, and the process that took the event did not know yet';
    case 'added_later':
      return 'not started: it did not listen to this event then';
    case 'unknown':
      return 'not started, and nobody can tell why';
  }
};

const eventLines = (event: ExplainedEvent): string[] => [
  ...fieldLines([
    ['id', event.id],
    ['event', event.eventType],
    ['module', event.module],
    ['person', personOf(event)],
    ['environment', event.environment],
    ['source', event.source],
    ['happened', event.timestamp],
    ['received', event.receivedAt],
    ['message id', event.messageId],
    ['session', event.sessionId],
    ['properties', JSON.stringify(event.properties)],
    ['context', event.context === null ? null : JSON.stringify(event.context)],
  ]),
  '',
  ...(event.workflows.length === 0
    ? ['No workflow listened to this event.']
    : event.workflows.map((one) => `${one.workflowName} (version ${one.workflowVersion}): ${verdictText(one)}`)),
];

/** What happened, and what it started. */
export const events = noun('events', 'Inspect events and what they triggered', {
  list: custom<{ readonly user?: string; readonly limit: number }>({
    about: 'List events, newest first',
    examples: ['--user ada --env test'],
    options: [new Option('--user <id>', "This user's history"), limitOption()],
    forms: ROWS,
    work: async (api, { flags: { user: userId, limit }, output, context, screen: { id, time } }) => {
      const { rows, hasMore } = await collect(limit, (query) =>
        userId === undefined
          ? api.page('GET /events', { query })
          : api.page('GET /profiles/{userId}/events', { params: { userId }, query }),
      );
      output.rows(rows, [
        ['ID', (row) => id(row.id)],
        ['RECEIVED', ({ receivedAt }) => time(receivedAt)],
        ['EVENT', ({ eventType }) => eventType],
        ['MODULE', ({ module }) => module],
        ['PERSON', personOf],
        ['SOURCE', ({ source }) => source],
      ]);
      if (output.form === 'table' && rows.length === 0)
        output.note(`There is no such event in ${api.environment} in ${context.place}.`);
      noteMore(output, hasMore, limit);
      return undefined;
    },
  }),
  show: calls('GET /events/{id}', {
    about: 'Show an event and why each workflow did or did not start',
    examples: ['EVENT_ID --env test'],
    args: [
      {
        arg: ['<id>', 'Id of the event, as "events list" shows it'],
        into: 'id',
        find: async (api, given) => {
          const list = (query: object) => api.page('GET /events', { query });
          const wrong = await notEventId(given, api.environment, list);
          if (wrong !== null) throw wrong;
          return wholeId('event', given, list);
        },
      },
    ],
    lines: eventLines,
  }),
  tail: custom<TailOptions>({
    about: 'Print recent events; -f follows',
    examples: ['-f --type "order.*" --env test'],
    help: eventNamesHelp(OWN_EVENTS),
    forms: ['table', 'ndjson'],
    options: [
      new Option('-f, --follow', 'Go on until interrupted'),
      namesEvents(new Option('--type <glob>', 'Events of this name only; * stands for any text')),
      new Option('--user <id>', 'Of this user only'),
      new Option('--since <time>', 'Received within this time, such as 10m')
        .argParser(sinceOf)
        .default(SINCE_MS, durationText(SINCE_MS)),
      limitOption('Maximum number of past events'),
    ],
    work: (api, { context, flags }) => follow(context, flags, api),
  }),
});

const profileLines = (profile: Profile): string[] => [
  ...fieldLines([
    ['user', profile.userId],
    ['anonymous', profile.anonymousId],
    ['email', profile.email],
    ['phone', profile.phone],
    ['locale', profile.locale],
    ['timezone', profile.timezone],
    ['created', profile.createdAt],
    ['seen', profile.lastSeenAt],
    ['truncated', profile._truncated === true ? 'yes' : null],
  ]),
  'traits:',
  ...Object.entries(profile.traits).map(([name, value]) => `  ${name}: ${JSON.stringify(value)}`),
  ...(profile.tokens ?? []).map(
    ({ platform, isActive, id }) => `device: ${platform}${isActive ? '' : ', inactive'}, ${id}`,
  ),
  ...(profile.audiences ?? []).map(({ name, id }) => `audience: ${clean(name)}, ${id}`),
];

const word = (isSubscribed: boolean): string => (isSubscribed ? 'subscribed' : 'unsubscribed');

const subscriptionLines = (found: Subscriptions): string[] =>
  CHANNELS.flatMap((channel) => {
    const { subscribed, categories } = found[channel];
    return [
      `${channel}: ${word(subscribed)}`,
      ...Object.entries(categories).map(([name, isSubscribed]) => `  ${clean(name)}: ${word(isSubscribed)}`),
    ];
  });

/** `email`, or `email/news`, as the change of a choice. Throws CliError for a channel that there is not. */
const choicesOf = (named: readonly (readonly [string, boolean])[]): SubscriptionsInput => {
  const body: { [Channel in (typeof CHANNELS)[number]]?: Record<string, unknown> } = {};
  for (const [name, isSubscribed] of named) {
    const [given = '', ...rest] = name.split('/');
    const channel = CHANNELS.find((one) => one === given);
    if (!channel) throw usageError(`${clean(given)} is no channel; it is one of ${CHANNELS.join(', ')}.`);
    const { categories = {}, ...choice } = body[channel] ?? {};
    body[channel] =
      rest.length === 0
        ? { ...body[channel], subscribed: isSubscribed }
        : { ...choice, categories: { ...Object(categories), [rest.join('/')]: isSubscribed } };
  }
  return body;
};

/** Asks for the id once more: what is erased cannot be brought back. */
const confirmErasure = async ({ io }: Context, isCertain: boolean, userId: string, where: string): Promise<void> => {
  if (isCertain) return;
  if (!io.stdin.isTTY || !io.stderr.isTTY)
    throw new CliError(EXIT.unconfirmed, 'An erasure cannot be undone and nobody can be asked here.', {
      hint: 'Look at the profile with "beckon profiles show", then confirm it with --yes.',
    });
  const said = await io.stdin.ask(`Erase ${clean(userId)} everywhere in ${where}? Type the id to confirm: `);
  if (said.trim() !== userId) throw new CliError(EXIT.negative, 'Nothing was erased.');
};

const user = { arg: ['<userId>', 'Id of the user'], into: 'userId' } as const;

/** Who the users are, and who is to be one no longer. */
export const profiles = noun('profiles', 'Inspect and erase user profiles', {
  list: lists('GET /profiles', {
    about: 'List users',
    examples: ['--env test'],
    columns: ({ time }) => [
      ['USER', ({ userId }) => userId],
      ['TRAITS', ({ traits }) => Object.keys(traits).length],
      ['LOCALE', ({ locale }) => locale],
      ['TIMEZONE', ({ timezone }) => timezone],
      ['CREATED', ({ createdAt }) => time(createdAt)],
      ['SEEN', ({ lastSeenAt }) => time(lastSeenAt)],
    ],
    none: ({ environment, place }) => `There is no user yet in ${environment} in ${place}.`,
  }),
  show: calls('GET /profiles/{userId}', {
    about: 'Show a profile: traits, devices, segments',
    examples: ['ada --env test'],
    args: [user],
    lines: profileLines,
  }),
  subscriptions: custom<{ readonly on?: readonly string[]; readonly off?: readonly string[] }>({
    about: "Show or change a user's subscriptions",
    examples: ['ada --env test', 'ada --off email/news --env test'],
    args: [user.arg],
    options: [
      new Option('--on <what...>', 'Subscribe to a channel, or to one category of it: email, email/news'),
      new Option('--off <what...>', 'Unsubscribe from them'),
    ],
    work: async (api, { flags: { on = [], off = [] }, args: [userId = ''], output }) => {
      const params = { userId };
      const body = choicesOf([
        ...on.map((name) => [name, true] as const),
        ...off.map((name) => [name, false] as const),
      ]);
      const found =
        on.length + off.length > 0
          ? await api.call('PUT /profiles/{userId}/subscriptions', { params, body })
          : await api.call('GET /profiles/{userId}/subscriptions', { params });
      output.answer(found, subscriptionLines(found));
      return undefined;
    },
  }),
  erase: custom<{ readonly yes?: boolean }>({
    about: 'Erase a user and all related data',
    examples: ['ada --yes --env test'],
    exits: '0 requested, 9 confirmation required',
    args: [user.arg],
    options: [new Option('-y, --yes', 'Do not ask')],
    work: async (api, { context, flags: { yes }, args: [userId = ''], output }) => {
      await confirmErasure(context, yes === true, userId, api.environment);
      const requested = await api.call('DELETE /profiles/{userId}', { params: { userId } });
      output.answer(requested, [
        `The erasure ${requested.erasureId} waits for a worker.`,
        `See it with: beckon profiles erasure ${requested.erasureId} --env ${api.environment}`,
      ]);
      return undefined;
    },
  }),
  erasure: calls('GET /profiles/erasures/{id}', {
    about: 'Show the status of an erasure',
    examples: ['ERASURE_ID --env test'],
    args: [{ arg: ['<id>', 'Id of the erasure'], into: 'id' }],
    lines: ({ status, createdAt, finishedAt }) =>
      fieldLines([
        ['status', status],
        ['asked', createdAt],
        ['done', finishedAt],
      ]),
  }),
});
