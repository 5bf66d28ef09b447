import type { Webhook, WebhookDelivery, WebhookDeliveryRead, WebhookInput, WebhookPatch } from '@beckon/core';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { relativeTime, shortId } from '../cells.ts';
import {
  act,
  databaseOptions,
  environmentOption,
  outputOptions,
  type Register,
  remoteOptions,
  scopeOptions,
} from '../command-line.ts';
import { durationText, parseDuration } from '../duration.ts';
import { deliveredEventOf, eventNamesHelp, eventNamesOf, namesEvents } from '../event-names.ts';
import { CliError, EXIT } from '../exit-codes.ts';
import { readSecretBytes } from '../input.ts';
import type { Io } from '../io.ts';
import { jsonOf } from '../json-text.ts';
import { collect, DEFAULT_LIMIT, limitOf, noteMore } from '../listing.ts';
import { DELIVERY_STATUSES, EVENT_NAMES } from '../names.ts';
import { type Column, createOutput } from '../output.ts';
import { fieldLines, inEnvironment } from '../scoped.ts';
import type { Services } from '../services.ts';
import { type ListenOptions, listenForWebhooks } from '../webhook-listen.ts';

/** How long the secret before signs along after a rotation. */
const GRACE_MS = 86_400_000;

type Events = WebhookInput['events'];
type ListenFlags = Omit<ListenOptions, 'events'> & { readonly events?: Events };
type SetFlags = {
  readonly receiver?: string;
  readonly events?: Events;
  readonly description?: string;
  readonly headersFile?: string;
  readonly active?: 'on' | 'off';
};
type DeliveriesFlags = {
  readonly status?: WebhookDelivery['status'];
  readonly event?: string;
  readonly limit: number;
};

const COLUMNS: readonly Column<Webhook>[] = [
  ['ID', ({ id }) => id],
  ['URL', ({ url }) => url],
  ['STATE', ({ isActive, disabledReason }) => (isActive ? 'on' : `off${disabledReason ? `: ${disabledReason}` : ''}`)],
  ['FAILING SINCE', ({ failingSince }) => failingSince?.toISOString() ?? null],
  ['EVENTS', ({ events }) => events.join(' ')],
];

const deliveryColumns = ({ stdout: { isTTY }, now }: Io): readonly Column<WebhookDelivery>[] => [
  ['ID', ({ id }) => (isTTY ? shortId(id) : id)],
  ['EVENT AT', ({ createdAt }) => (isTTY ? relativeTime(createdAt, now()) : createdAt.toISOString())],
  ['EVENT', ({ eventType }) => eventType],
  ['STATUS', ({ status, reason }) => (reason === null ? status : `${status}: ${reason}`)],
  ['ATTEMPTS', ({ attemptCount }) => String(attemptCount)],
  ['NEXT', ({ nextAttemptAt }) => nextAttemptAt?.toISOString() ?? null],
];

const eventsOption = (description: string): Option =>
  namesEvents(new Option('--events <names>', description).argParser(eventNamesOf));

const durationOf = (text: string): number => {
  const ms = parseDuration(text);
  if (ms === null) throw new InvalidArgumentError('It is a time such as 30m, 12h or 2d.');
  return ms;
};

const deliveryLines = (delivery: WebhookDeliveryRead): string[] => {
  const { id, webhookId, eventId, eventType, status, reason, body, attempts } = delivery;
  return [
    ...fieldLines(Object.entries({ id, webhookId, eventId, eventType, status, reason, body })),
    ...attempts.map(({ at, trigger, status: answered, durationMs, error }) =>
      ['attempt', at.toISOString(), trigger, answered ?? 'no answer', `${durationMs} ms`, error ?? 'taken'].join('  '),
    ),
  ];
};

/** Headers hold tokens, so they come as a file. */
const headersOf = async (
  io: Io,
  services: Services,
  file: string | undefined,
): Promise<Pick<WebhookPatch, 'headers'>> => {
  if (file === undefined) return {};
  const headers = await jsonOf({ services }, file, await readSecretBytes(io, file));
  if (typeof headers !== 'object' || headers === null)
    throw new CliError(EXIT.invalid, `${file} is no JSON object of names and values.`);
  // Proof of the cast: what is none is refused by the schema that checks the body.
  return { headers: headers as Record<string, string> };
};

/** `beckon webhooks ...`: who is told what happens, what they were told, and telling it again. */
export const register: Register = (program, context) => {
  const { io, services } = context;
  const group = program.command('webhooks').description('tell other systems what happens');
  const leaf = (name: string, description: string): Command =>
    remoteOptions(scopeOptions(databaseOptions(group.command(name).description(description)))).addOption(
      environmentOption(),
    );
  const set = (command: Command): Command =>
    command
      .option('--description <text>', 'what it is for')
      .option('--headers-file <file>', 'headers to send along, as a JSON object; - is stdin')
      .addOption(new Option('--active <state>', 'whether it is told anything').choices(['on', 'off']));
  const bodyOf = async ({ receiver, events, description, headersFile, active }: SetFlags): Promise<WebhookPatch> => ({
    ...(receiver === undefined ? {} : { url: receiver }),
    ...(events === undefined ? {} : { events }),
    ...(description === undefined ? {} : { description }),
    ...(active === undefined ? {} : { isActive: active === 'on' }),
    ...(await headersOf(io, services, headersFile)),
  });

  outputOptions(leaf('list', 'list webhooks, oldest first'), ['table', 'json', 'ndjson', 'yaml'])
    .option('--limit <number>', 'how many at most', limitOf, DEFAULT_LIMIT)
    .action(
      act<{ readonly limit: number }>(context, (flags) =>
        inEnvironment(context, flags, async ({ webhooks }, scope) => {
          const { rows, hasMore } = await collect(flags.limit, (query) => webhooks.list(scope, query));
          const output = createOutput(io, flags);
          output.rows(rows, COLUMNS);
          noteMore(output, hasMore, flags.limit);
          return undefined;
        }),
      ),
    );

  set(outputOptions(leaf('create', 'create one, and show its secret once')))
    .argument('<url>', 'where its receiver is')
    .addOption(eventsOption('comma-separated event names').makeOptionMandatory())
    .addHelpText('after', eventNamesHelp())
    .action(
      act<SetFlags & { readonly events: Events }>(context, (flags, [url = '']) =>
        inEnvironment(context, flags, async ({ webhooks }, scope) => {
          const { description, ...more } = await bodyOf(flags);
          const given = { ...more, url, events: flags.events };
          const made = await webhooks.create(scope, { ...given, description: description ?? null });
          createOutput(io, flags).answer(made, [`The webhook is ${made.id}, signed with ${made.secret}`]);
          return undefined;
        }),
      ),
    );

  set(outputOptions(leaf('update', 'change one: what is left out stays')))
    .argument('<id>', 'id of the webhook')
    .option('--receiver <url>', 'where its receiver is')
    .addOption(eventsOption('comma-separated event names'))
    .addHelpText('after', eventNamesHelp())
    .action(
      act<SetFlags>(context, (flags, [id = '']) =>
        inEnvironment(context, flags, async ({ webhooks }, scope) => {
          const changed = await webhooks.update(scope, id, await bodyOf(flags));
          createOutput(io, flags).answer(changed, [`The webhook ${id} is changed.`]);
          return undefined;
        }),
      ),
    );

  outputOptions(leaf('delete', 'delete one'))
    .argument('<id>', 'id of the webhook')
    .action(
      act(context, (flags, [id = '']) =>
        inEnvironment(context, flags, async ({ webhooks }, scope) => {
          createOutput(io, flags).answer(await webhooks.remove(scope, id), [`The webhook ${id} is deleted.`]);
          return undefined;
        }),
      ),
    );

  outputOptions(leaf('rotate-secret', 'give one a new secret, and show it once'))
    .argument('<id>', 'id of the webhook')
    .addOption(
      new Option('--grace <time>', 'how long the older one signs along, such as 12h')
        .argParser(durationOf)
        .default(GRACE_MS, durationText(GRACE_MS)),
    )
    .action(
      act<{ readonly grace: number }>(context, (flags, [id = '']) =>
        inEnvironment(context, flags, async ({ webhooks }, scope) => {
          const rotated = await webhooks.rotateSecret(scope, id, { graceSeconds: Math.floor(flags.grace / 1_000) });
          createOutput(io, flags).answer(rotated, [`The webhook ${id} is signed with ${rotated.secret}`]);
          return undefined;
        }),
      ),
    );

  outputOptions(leaf('test', 'tell one an event of type webhook.test'))
    .argument('<id>', 'id of the webhook')
    .action(
      act(context, (flags, [id = '']) =>
        inEnvironment(context, flags, async ({ webhooks }, scope) => {
          const delivery = await webhooks.test(scope, id);
          createOutput(io, flags).answer(delivery, [`A worker posts ${delivery.id}.`]);
          return undefined;
        }),
      ),
    );

  outputOptions(leaf('deliveries', 'list what one was told, newest first'), ['table', 'json', 'ndjson', 'yaml'])
    .argument('<id>', 'id of the webhook')
    .addOption(new Option('--status <name>', 'of this status only').choices(DELIVERY_STATUSES))
    .addOption(namesEvents(new Option('--event <name>', 'of this event only').argParser(deliveredEventOf)))
    .addHelpText('after', eventNamesHelp())
    .option('--limit <number>', 'how many at most', limitOf, DEFAULT_LIMIT)
    .action(
      act<DeliveriesFlags>(context, (flags, [id = '']) =>
        inEnvironment(context, flags, async ({ webhooks }, scope) => {
          const { status, event: eventType, limit } = flags;
          const { rows, hasMore } = await collect(limit, (query) =>
            webhooks.deliveries(scope, id, { status, eventType, ...query }),
          );
          const output = createOutput(io, flags);
          output.rows(rows, deliveryColumns(io));
          noteMore(output, hasMore, limit);
          return undefined;
        }),
      ),
    );

  for (const [name, description] of [
    ['delivery', 'show one delivery with its body and attempts'],
    ['replay', 'begin a new series of a delivery that is over'],
  ] as const)
    outputOptions(leaf(name, description))
      .argument('<id>', 'id of the delivery')
      .action(
        act(context, (flags, [id = '']) =>
          inEnvironment(context, flags, async ({ webhooks }, scope) => {
            const delivery = await webhooks[name](scope, id);
            createOutput(io, flags).answer(delivery, deliveryLines(delivery));
            return undefined;
          }),
        ),
      );

  outputOptions(leaf('recover', 'tell one again what it did not take'))
    .argument('<id>', 'id of the webhook')
    .requiredOption('--since <time>', 'of events within this time, such as 2d', durationOf)
    .option('--until <time>', 'and not of those within this one, such as 1h', durationOf)
    .action(
      act<{ readonly since: number; readonly until?: number }>(context, (flags, [id = '']) =>
        inEnvironment(context, flags, async ({ webhooks }, scope) => {
          const before = (ms: number): string => new Date(io.now().getTime() - ms).toISOString();
          const until = flags.until === undefined ? {} : { until: before(flags.until) };
          const recovered = await webhooks.recover(scope, id, { since: before(flags.since), ...until });
          const more = recovered.hasMore ? ['There are more: do it again.'] : [];
          createOutput(io, flags).answer(recovered, [`${recovered.recovered} are told again.`, ...more]);
          return undefined;
        }),
      ),
    );

  outputOptions(leaf('listen', 'post what happens from now on to a receiver on this machine'), ['table', 'ndjson'])
    .requiredOption('--forward-to <url>', 'where the receiver is, such as http://localhost:3000/hooks')
    .addOption(eventsOption('comma-separated event names (default: all)'))
    .addHelpText('after', eventNamesHelp())
    .action(
      act<ListenFlags>(context, ({ events = EVENT_NAMES, ...flags }) =>
        inEnvironment(context, flags, (beckon, scope) =>
          listenForWebhooks(context, { ...flags, events }, beckon, scope),
        ),
      ),
    );
};
