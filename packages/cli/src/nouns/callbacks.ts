import type { Beckon, Channel, Scope } from '@beckon/core';
import { Argument, Option } from 'commander';
import type { Answer, Api } from '../api.ts';
import { channelOption } from '../channels.ts';
import type { CommonFlags, Context } from '../command-line.ts';
import type { Config } from '../config.ts';
import { CliError, EXIT } from '../exit-codes.ts';
import { wholeId } from '../ids.ts';
import { readSecret } from '../input.ts';
import { isObject } from '../is-object.ts';
import { jsonOf } from '../json-text.ts';
import { collect, limitOption, noteMore } from '../listing.ts';
import type { Output } from '../output.ts';
import { fieldLines } from '../scoped.ts';
import { custom, customLocal } from '../table/custom.ts';
import { noun, ROWS } from '../table/noun.ts';

type ListFlags = { readonly channel?: Channel; readonly provider?: string; readonly limit: number };
type States = Answer<'GET /email/settings'>['callbacks'];

/** Providers with a webhook signing secret per project, and the name of its field. */
const SECRET_OF = {
  ses: 'topicArn',
  sendgrid: 'publicKey',
  postmark: 'secret',
  mailgun: 'signingKey',
  resend: 'secret',
} as const satisfies Readonly<Record<keyof States, string>>;
type CallbackProvider = keyof typeof SECRET_OF;

const scopeOf = async (beckon: Beckon, flags: CommonFlags, config: Config): Promise<Scope> => {
  const { environmentScope, requireEnvironment } = await import('../session.ts');
  return environmentScope(beckon, flags, requireEnvironment(flags, config));
};

const rowsOf = async (api: Api) =>
  Object.entries((await api.call('GET /email/settings')).callbacks).map(([provider, state]) => ({
    provider,
    ...state,
  }));

/** A PEM key with base64 on several lines. */
const PEM = /-----BEGIN ([A-Z ]+)-----([A-Za-z0-9+/=\s]+)-----END \1-----/g;

/** The value of a file: a JSON object, or one secret per line; two lines during a rotation. */
const valueIn = async (context: Context, provider: CallbackProvider, file: string): Promise<unknown> => {
  const text = await readSecret(context.io, file);
  if (text.startsWith('{')) {
    const value = await jsonOf(context, file, new TextEncoder().encode(text));
    if (isObject(value)) return value;
    throw new CliError(EXIT.invalid, 'The file of --file is JSON, but not an object.');
  }
  const lines = text
    .replaceAll(PEM, (_, _label: string, base64: string) => base64.replaceAll(/\s/g, ''))
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '');
  return { [SECRET_OF[provider]]: lines.length === 1 ? lines[0] : lines };
};

const change = async (api: Api, output: Output, provider: string, value: unknown): Promise<undefined> => {
  // Safe: core validates the body.
  await api.call('PUT /email/settings', { body: { callbacks: { [provider]: value } } as never });
  const row = (await rowsOf(api)).find((one) => one.provider === provider);
  output.answer(row, [
    value === null
      ? `Deleted the signing secret of ${provider}. Beckon rejects its delivery webhooks.`
      : `Set the signing secret of ${provider}. Beckon verifies its delivery webhooks.`,
  ]);
};

const provider = () => new Argument('<provider>', 'Email provider').choices(Object.keys(SECRET_OF));
// Proof of the casts: the parser rejects a missing provider and values outside the choices.

/** Signing secrets of delivery webhooks. */
const secrets = noun('secrets', 'Manage delivery webhook signing secrets', {
  list: custom({
    about: 'List providers with a signing secret',
    examples: ['--env prod'],
    forms: ROWS,
    work: async (api, { output, screen: { time } }) => {
      output.rows(await rowsOf(api), [
        ['PROVIDER', (row) => row.provider],
        ['CONFIGURED', ({ configured }) => (configured ? 'yes' : 'no')],
        ['UPDATED', ({ updatedAt }) => time(updatedAt)],
        ['URL', ({ url }) => url],
      ]);
      return undefined;
    },
  }),
  set: custom<{ readonly file: string }>({
    about: "Set a provider's webhook signing secret",
    examples: ['sendgrid --file key.pem --env prod'],
    help: `
The secret is encrypted and never shown again. Values: ${Object.entries(SECRET_OF)
      .map(([name, word]) => `${name} ${word}`)
      .join(', ')}.
Postmark does not sign: use a secret that it sends as a header, or {"user": ..., "password": ...}.`,
    args: [provider()],
    options: [
      new Option(
        '--file <file>',
        'File with the secret, or two lines during a rotation; - for stdin',
      ).makeOptionMandatory(),
    ],
    work: async (api, { context, flags: { file }, args: [name], output }) => {
      const named = name as CallbackProvider;
      return change(api, output, named, await valueIn(context, named, file));
    },
  }),
  delete: custom({
    about: 'Delete a signing secret',
    examples: ['sendgrid --env prod'],
    help: '\nBeckon then rejects the delivery webhooks of the provider.',
    args: [provider()],
    work: (api, { args: [name], output }) => change(api, output, name as CallbackProvider, null),
  }),
});

/** Delivery webhooks of the last 7 days, their URLs and signing secrets. */
export const callbacks = noun('callbacks', 'Inspect and replay delivery webhooks', {
  list: customLocal<ListFlags>({
    about: 'List delivery webhooks of the last 7 days',
    examples: ['--provider sendgrid --env prod'],
    forms: ROWS,
    options: [channelOption(), new Option('--provider <name>', 'Provider'), limitOption()],
    work: async (beckon, { flags, output, screen: { id, time }, config }) => {
      const { channel, provider: by, limit } = flags;
      const scope = await scopeOf(beckon, flags, config);
      const { rows, hasMore } = await collect(limit, (query) =>
        beckon.callbacks.list(scope, { channel, provider: by, ...query }),
      );
      output.rows(rows, [
        ['ID', (row) => id(row.id)],
        ['RECEIVED', ({ receivedAt }) => time(receivedAt.toISOString())],
        ['CHANNEL', (row) => row.channel],
        ['PROVIDER', (row) => row.provider],
        ['EVENTS', ({ events }) => events],
        ['APPLIED', ({ applied }) => applied],
        ['DUPLICATES', ({ duplicates }) => duplicates],
        ['UNKNOWN', ({ unknown }) => unknown],
      ]);
      if (output.form === 'table' && rows.length === 0) output.note('No delivery webhooks in the last 7 days.');
      noteMore(output, hasMore, limit);
      return undefined;
    },
  }),
  replay: customLocal({
    about: 'Process a delivery webhook again',
    examples: ['CALLBACK_ID --env prod'],
    help: '\nEvents that were already applied stay unchanged.',
    args: [['<id>', 'Delivery webhook id, from "callbacks list"']],
    work: async (beckon, { flags, args: [text = ''], output, config }) => {
      const scope = await scopeOf(beckon, flags, config);
      const whole = await wholeId('callback', text, (query) => beckon.callbacks.list(scope, query));
      const callback = await beckon.callbacks.replay(scope, whole);
      const { id, channel, provider: by, events, applied, duplicates, unknown } = callback;
      const shown = { id, channel, provider: by, events, applied, duplicates, unknown };
      output.answer(callback, fieldLines(Object.entries(shown)));
      return undefined;
    },
  }),
  urls: customLocal({
    about: 'Show the URLs to enter at your providers',
    examples: ['--env prod'],
    forms: ROWS,
    work: async (beckon, { flags, output, config }) => {
      const { data: urls } = await beckon.callbacks.urls(await scopeOf(beckon, flags, config));
      output.rows(urls, [
        ['CHANNEL', ({ channel }) => channel],
        ['PROVIDER', (row) => row.provider],
        ['URL', ({ url }) => url],
      ]);
      if (output.form === 'table' && urls.length === 0)
        output.note('Providers need the public URL: set publicUrl, or BECKON_PUBLIC_URL.');
      return undefined;
    },
  }),
  secrets,
});
