import { InvalidArgumentError, Option } from 'commander';
import type { Answer, FieldOf, RowOf } from '../api.ts';
import type { Context } from '../command-line.ts';
import { durationText, parseDuration } from '../duration.ts';
import { deliveredEventOf, eventNamesHelp, eventNamesOf, namesEvents } from '../event-names.ts';
import { CliError, EXIT } from '../exit-codes.ts';
import { readSecretBytes } from '../input.ts';
import { jsonOf } from '../json-text.ts';
import { EVENT_NAMES } from '../names.ts';
import { fieldLines } from '../scoped.ts';
import { custom } from '../table/custom.ts';
import type { Flag, Flags } from '../table/flags.ts';
import { noun } from '../table/noun.ts';
import { calls, lists } from '../table/verbs.ts';
import { type ListenOptions, listenForWebhooks } from '../webhook-listen.ts';

type ListenFlags = Omit<ListenOptions, 'events'> & { readonly events?: ListenOptions['events'] };

/** Default grace period of the previous secret. */
const GRACE_MS = 86_400_000;

const durationOf = (text: string): number => {
  const ms = parseDuration(text);
  if (ms === null) throw new InvalidArgumentError('Pass a time such as 30m, 12h or 2d.');
  return ms;
};

const momentBefore = (ms: number, { io }: Context): string => new Date(io.now().getTime() - ms).toISOString();

/** Headers come from a file, because they contain tokens. Core validates the values. */
const headersOf = async (file: string, { io, services }: Context): Promise<object> => {
  const headers = await jsonOf({ services }, file, await readSecretBytes(io, file));
  if (typeof headers === 'object' && headers !== null) return headers;
  throw new CliError(EXIT.invalid, `${file} is not a JSON object of header names and values.`);
};

const webhook = { arg: ['<id>', 'Webhook id'], into: 'id' } as const;
const delivery = { arg: ['<id>', 'Delivery id'], into: 'id' } as const;
const events = {
  text: 'Comma-separated event names',
  value: 'names',
  parse: eventNamesOf,
  takesEventNames: true,
} as const satisfies Flag;
const saved: Flags<FieldOf<'POST /webhooks'>> = {
  description: 'Description',
  'headers-file': {
    field: 'headers',
    text: 'JSON object of extra headers, - for stdin',
    value: 'file',
    convert: headersOf,
  },
  active: {
    field: 'isActive',
    text: 'Deliver events',
    value: 'state',
    choices: ['on', 'off'],
    convert: (state: string) => state === 'on',
  },
};

const deliveryLines = (shown: Answer<'GET /webhooks/deliveries/{id}'>): string[] => {
  const { id, webhookId, eventId, eventType, status, reason, body, attempts } = shown;
  return [
    ...fieldLines(Object.entries({ id, webhookId, eventId, eventType, status, reason, body })),
    ...attempts.map(({ at, trigger, status: answered, durationMs, error }) =>
      ['attempt', at, trigger, answered ?? 'no response', `${durationMs} ms`, error ?? 'accepted'].join('  '),
    ),
  ];
};

const stateOf = ({ isActive, disabledReason }: RowOf<'GET /webhooks'>): string =>
  isActive ? 'on' : `off${disabledReason ? `: ${disabledReason}` : ''}`;

/** Outgoing webhooks and what they delivered. */
export const webhooks = noun('webhooks', 'Manage outgoing webhooks', {
  list: lists('GET /webhooks', {
    about: 'List webhooks, oldest first',
    examples: ['--env test'],
    columns: () => [
      ['ID', ({ id }) => id],
      ['URL', ({ url }) => url],
      ['ACTIVE', stateOf],
      ['FAILING SINCE', ({ failingSince }) => failingSince],
      ['EVENTS', (row) => row.events.join(' ')],
    ],
  }),
  create: calls('POST /webhooks', {
    about: 'Create a webhook and print its secret once',
    examples: ['https://shop.example/hooks --events sms.failed --env test'],
    help: eventNamesHelp(),
    args: [{ arg: ['<url>', 'URL that receives events'], into: 'url' }],
    flags: { ...saved, events },
    lines: ({ id, secret }) => [`Created webhook ${id}. Signing secret, shown only once: ${secret}`],
  }),
  update: calls('PATCH /webhooks/{id}', {
    about: 'Update a webhook',
    examples: ['WEBHOOK_ID --active off --env test'],
    help: eventNamesHelp(),
    args: [webhook],
    flags: { ...saved, receiver: { field: 'url', text: 'URL that receives events', value: 'url' }, events },
    lines: ({ id }) => [`Updated webhook ${id}.`],
  }),
  delete: calls('DELETE /webhooks/{id}', {
    about: 'Delete a webhook',
    examples: ['WEBHOOK_ID --env test'],
    args: [webhook],
    lines: ({ id }) => [`Deleted webhook ${id}.`],
  }),
  'rotate-secret': calls('POST /webhooks/{id}/rotate-secret', {
    about: "Rotate a webhook's signing secret",
    examples: ['WEBHOOK_ID --grace 12h --env test'],
    args: [webhook],
    flags: {
      grace: {
        field: 'graceSeconds',
        text: 'Grace period of the old secret, such as 12h',
        value: 'time',
        parse: durationOf,
        usual: [GRACE_MS, durationText(GRACE_MS)],
        convert: (ms: number) => Math.floor(ms / 1_000),
      },
    },
    lines: ({ id, secret }) => [`New signing secret of webhook ${id}, shown only once: ${secret}`],
  }),
  test: calls('POST /webhooks/{id}/test', {
    about: 'Send a test event to a webhook',
    examples: ['WEBHOOK_ID --env test'],
    args: [webhook],
    lines: ({ id }) => [`Queued test delivery ${id}.`],
  }),
  deliveries: lists('GET /webhooks/{id}/deliveries', {
    about: 'List deliveries, newest first',
    examples: ['WEBHOOK_ID --status failed --env test'],
    help: eventNamesHelp(),
    args: [webhook],
    flags: {
      status: { text: 'Status', value: 'name' },
      event: {
        field: 'eventType',
        text: 'Event name',
        value: 'name',
        parse: deliveredEventOf,
        takesEventNames: true,
      },
    },
    columns: ({ id, time }) => [
      ['ID', (row) => id(row.id)],
      ['CREATED', ({ createdAt }) => time(createdAt)],
      ['EVENT', ({ eventType }) => eventType],
      ['STATUS', ({ status, reason }) => (reason === null ? status : `${status}: ${reason}`)],
      ['ATTEMPTS', ({ attemptCount }) => String(attemptCount)],
      ['NEXT ATTEMPT', ({ nextAttemptAt }) => nextAttemptAt],
    ],
  }),
  delivery: calls('GET /webhooks/deliveries/{id}', {
    about: 'Show a delivery: body and attempts',
    examples: ['DELIVERY_ID --env test'],
    args: [delivery],
    lines: deliveryLines,
  }),
  replay: calls('POST /webhooks/deliveries/{id}/replay', {
    about: 'Retry one finished delivery',
    examples: ['DELIVERY_ID --env test'],
    args: [delivery],
    lines: deliveryLines,
  }),
  recover: calls('POST /webhooks/{id}/recover', {
    about: 'Redeliver failed events since a time',
    examples: ['WEBHOOK_ID --since 2d --env test'],
    args: [webhook],
    flags: {
      since: {
        text: 'Events of the last time span, such as 2d',
        value: 'time',
        parse: durationOf,
        convert: momentBefore,
      },
      until: {
        text: 'Skip events of the last time span, such as 1h',
        value: 'time',
        parse: durationOf,
        convert: momentBefore,
      },
    },
    lines: ({ recovered, hasMore }) => [
      `Queued ${recovered} deliveries.`,
      ...(hasMore ? ['There are more: repeat the command.'] : []),
    ],
  }),
  listen: custom<ListenFlags>({
    about: 'Forward webhook events to a local URL until Ctrl+C',
    examples: ['--env test --forward-to http://localhost:3000/hooks'],
    help: eventNamesHelp(),
    forms: ['table', 'ndjson'],
    options: [
      new Option('--forward-to <url>', 'Your receiver, such as http://localhost:3000/hooks').makeOptionMandatory(),
      namesEvents(new Option('--events <names>', 'Comma-separated event names (default: all)').argParser(eventNamesOf)),
    ],
    work: (api, { context, flags: { events: names = EVENT_NAMES, ...flags } }) =>
      listenForWebhooks(context, { ...flags, events: names }, api),
  }),
});
