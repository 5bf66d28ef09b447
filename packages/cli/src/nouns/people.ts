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

/** Default range of `events tail`. Chosen. */
const SINCE_MS = 600_000;

const sinceOf = (text: string): number => {
  const ms = parseDuration(text);
  if (ms === null) throw new InvalidArgumentError('Pass a time such as 10m or 2h.');
  return ms;
};

const userOf = ({ userId, anonymousId }: RowOf<'GET /events'>): string | null => userId ?? anonymousId;

const shown = (value: unknown): string => JSON.stringify(value) ?? 'not set';

/** Why a workflow did or did not start, as text. */
const verdictText = ({ verdict, runId, filters = [], ...more }: ExplainedEvent['workflows'][number]): string => {
  switch (verdict) {
    case 'started':
      return `started run ${runId}`;
    case 'inactive':
      return 'not started: the workflow was disabled';
    case 'filter': {
      const each = filters.map(
        (one) =>
          `${one.path} must be ${shown(one.expected)} but ${'actual' in one ? `is ${shown(one.actual)}` : 'is missing'}`,
      );
      return `not started: ${each.join('; ')}`;
    }
    case 'audience':
      return `not started: the user was not in segment ${more.audienceId}`;
    case 'depth':
      return `stopped: workflows triggered each other too many times${runId === undefined ? '' : ` (run ${runId})`}`;
    case 'fan_out':
      return `stopped: the original event had started the maximum number of runs${runId === undefined ? '' : ` (run ${runId})`}`;
    case 'waiting':
      return 'not started yet: no worker has processed the event';
    case 'not_loaded':
      return 'not started: the workflow had just changed, and the process that received the event did not have the change yet';
    case 'added_later':
      return 'not started: the workflow had another trigger at that time';
    case 'unknown':
      return 'not started, for an unknown reason';
  }
};

const eventLines = (event: ExplainedEvent): string[] => [
  ...fieldLines([
    ['id', event.id],
    ['event', event.eventType],
    ['module', event.module],
    ['user', userOf(event)],
    ['environment', event.environment],
    ['source', event.source],
    ['time', event.timestamp],
    ['received', event.receivedAt],
    ['message id', event.messageId],
    ['session', event.sessionId],
    ['properties', JSON.stringify(event.properties)],
    ['context', event.context === null ? null : JSON.stringify(event.context)],
  ]),
  '',
  ...(event.workflows.length === 0
    ? ['No workflow has this event as its trigger.']
    : event.workflows.map((one) => `${one.workflowName} (version ${one.workflowVersion}): ${verdictText(one)}`)),
];

/** Events, and the workflows that they started. */
export const events = noun('events', 'Inspect events and what they triggered', {
  list: custom<{ readonly user?: string; readonly limit: number }>({
    about: 'List events, newest first',
    examples: ['--user ada --env test'],
    options: [new Option('--user <id>', 'User id'), limitOption()],
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
        ['USER', userOf],
        ['SOURCE', ({ source }) => source],
      ]);
      if (output.form === 'table' && rows.length === 0)
        output.note(`No events match in ${api.environment} (${context.place}).`);
      noteMore(output, hasMore, limit);
      return undefined;
    },
  }),
  show: calls('GET /events/{id}', {
    about: 'Show an event and why each workflow did or did not start',
    examples: ['EVENT_ID --env test'],
    args: [
      {
        arg: ['<id>', 'Event id, from "events list"'],
        into: 'id',
        find: async (api, text) => {
          const list = (query: object) => api.page('GET /events', { query });
          const error = await notEventId(text, api.environment, list);
          if (error !== null) throw error;
          return wholeId('event', text, list);
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
      new Option('-f, --follow', 'Follow new events until Ctrl+C'),
      namesEvents(new Option('--type <glob>', 'Event name, * matches any text')),
      new Option('--user <id>', 'User id'),
      new Option('--since <time>', 'Received within this time, such as 1h')
        .argParser(sinceOf)
        .default(SINCE_MS, durationText(SINCE_MS)),
      limitOption('Maximum number of events before following'),
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
    ['last seen', profile.lastSeenAt],
    ['truncated', profile._truncated === true ? 'yes' : null],
  ]),
  'traits:',
  ...Object.entries(profile.traits).map(([name, value]) => `  ${name}: ${JSON.stringify(value)}`),
  ...(profile.tokens ?? []).map(
    ({ platform, isActive, id }) => `device: ${platform}${isActive ? '' : ', inactive'}, ${id}`,
  ),
  ...(profile.audiences ?? []).map(({ name, id }) => `segment: ${clean(name)}, ${id}`),
];

const stateText = (isSubscribed: boolean): string => (isSubscribed ? 'subscribed' : 'unsubscribed');

const subscriptionLines = (found: Subscriptions): string[] =>
  CHANNELS.flatMap((channel) => {
    const { subscribed, categories } = found[channel];
    return [
      `${channel}: ${stateText(subscribed)}`,
      ...Object.entries(categories).map(([name, isSubscribed]) => `  ${clean(name)}: ${stateText(isSubscribed)}`),
    ];
  });

/** Changes from `email` or `email/news`. Throws CliError for an unknown channel. */
const changesOf = (named: readonly (readonly [string, boolean])[]): SubscriptionsInput => {
  const body: { [Channel in (typeof CHANNELS)[number]]?: Record<string, unknown> } = {};
  for (const [name, isSubscribed] of named) {
    const [channelName = '', ...rest] = name.split('/');
    const channel = CHANNELS.find((one) => one === channelName);
    if (!channel) throw usageError(`Unknown channel "${clean(channelName)}". Allowed: ${CHANNELS.join(', ')}.`);
    const { categories = {}, ...choice } = body[channel] ?? {};
    body[channel] =
      rest.length === 0
        ? { ...body[channel], subscribed: isSubscribed }
        : { ...choice, categories: { ...Object(categories), [rest.join('/')]: isSubscribed } };
  }
  return body;
};

/** Asks for the user id as confirmation, because an erasure cannot be undone. */
const confirmErasure = async ({ io }: Context, isCertain: boolean, userId: string, where: string): Promise<void> => {
  if (isCertain) return;
  if (!io.stdin.isTTY || !io.stderr.isTTY)
    throw new CliError(EXIT.unconfirmed, `Erasing "${clean(userId)}" cannot be undone and needs confirmation.`, {
      hint: 'Pass --yes. To see the profile first, run "beckon profiles show".',
    });
  const answer = await io.stdin.prompt(`Erase ${clean(userId)} everywhere in ${where}? Type the user id to confirm: `);
  if (answer.trim() !== userId) throw new CliError(EXIT.negative, 'Nothing was erased.');
};

const user = { arg: ['<userId>', 'User id'], into: 'userId' } as const;

/** User profiles: reads, subscriptions and erasure. */
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
      ['LAST SEEN', ({ lastSeenAt }) => time(lastSeenAt)],
    ],
    none: ({ environment, place }) => `No users yet in ${environment} (${place}).`,
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
      new Option('--on <names...>', 'Subscribe to a channel (email) or category (email/news)'),
      new Option('--off <names...>', 'Unsubscribe from a channel or category'),
    ],
    work: async (api, { flags: { on = [], off = [] }, args: [userId = ''], output }) => {
      const params = { userId };
      const body = changesOf([
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
    options: [new Option('-y, --yes', 'Skip the confirmation')],
    work: async (api, { context, flags: { yes }, args: [userId = ''], output }) => {
      await confirmErasure(context, yes === true, userId, api.environment);
      const requested = await api.call('DELETE /profiles/{userId}', { params: { userId } });
      output.answer(requested, [
        `Requested erasure ${requested.erasureId}. A worker runs it.`,
        `Show its status: beckon profiles erasure ${requested.erasureId} --env ${api.environment}`,
      ]);
      return undefined;
    },
  }),
  erasure: calls('GET /profiles/erasures/{id}', {
    about: 'Show the status of an erasure',
    examples: ['ERASURE_ID --env test'],
    args: [{ arg: ['<id>', 'Erasure id'], into: 'id' }],
    lines: ({ status, createdAt, finishedAt }) =>
      fieldLines([
        ['status', status],
        ['requested', createdAt],
        ['finished', finishedAt],
      ]),
  }),
});
