import type { Beckon, Scope, Settings } from '@beckon/core';
import { Argument, type Command } from 'commander';
import { relativeTime } from '../cells.ts';
import { act, type Context, outputOptions } from '../command-line.ts';
import { CliError, EXIT } from '../exit-codes.ts';
import { readSecret } from '../input.ts';
import type { Io } from '../io.ts';
import { isObject } from '../is-object.ts';
import { jsonOf } from '../json-text.ts';
import { type Column, createOutput } from '../output.ts';
import { inEnvironment } from '../scoped.ts';

/** Providers whose callbacks are checked with what a project sets, and the one word of each. */
const SECRET_OF = {
  ses: 'topicArn',
  sendgrid: 'publicKey',
  postmark: 'secret',
  mailgun: 'signingKey',
  resend: 'secret',
} as const satisfies Readonly<Record<keyof Settings<'email'>['callbacks'], string>>;
type CallbackProvider = keyof typeof SECRET_OF;

type Row = {
  readonly provider: string;
  readonly configured: boolean;
  readonly updatedAt: Date | null;
  readonly url: string | null;
};
type SetFlags = { readonly file: string };

const columns = ({ stdout: { isTTY }, now }: Io): readonly Column<Row>[] => [
  ['PROVIDER', ({ provider }) => provider],
  ['CONFIGURED', ({ configured }) => (configured ? 'yes' : 'no')],
  [
    'UPDATED',
    ({ updatedAt }) => (updatedAt === null ? '-' : isTTY ? relativeTime(updatedAt, now()) : updatedAt.toISOString()),
  ],
  ['URL', ({ url }) => url ?? '-'],
];

const rowsOf = async ({ settings }: Beckon, scope: Scope): Promise<Row[]> =>
  Object.entries((await settings.get(scope, 'email')).callbacks).map(([provider, state]) => ({ provider, ...state }));

/** A key in PEM, whose base64 is broken into lines. */
const PEM = /-----BEGIN ([A-Z ]+)-----([A-Za-z0-9+/=\s]+)-----END \1-----/g;

/** What a file holds: an object as it is, else the provider's one word, a line each while two are exchanged. */
const valueIn = async (context: Context, provider: CallbackProvider, { file }: SetFlags): Promise<unknown> => {
  const text = await readSecret(context.io, file);
  if (text.startsWith('{')) {
    const value = await jsonOf(context, file, new TextEncoder().encode(text));
    if (isObject(value)) return value;
    throw new CliError(EXIT.invalid, 'The file holds no JSON object.');
  }
  const lines = text
    .replaceAll(PEM, (_, _label: string, base64: string) => base64.replaceAll(/\s/g, ''))
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '');
  return { [SECRET_OF[provider]]: lines.length === 1 ? lines[0] : lines };
};

const change = (context: Context, flags: Parameters<typeof inEnvironment>[1], provider: string, value: unknown) =>
  inEnvironment(context, flags, async (beckon, scope) => {
    await beckon.settings.put(scope, 'email', { callbacks: { [provider]: value } });
    const row = (await rowsOf(beckon, scope)).find((one) => one.provider === provider);
    const says = value === null ? 'are no longer checked, so they are refused' : 'are checked with it from now on';
    createOutput(context.io, flags).answer(row, [`Callbacks of ${provider} ${says}.`]);
    return undefined;
  });

/** `beckon callbacks secrets list|set|remove`: what mail providers sign their callbacks with. */
export const registerSecrets = (
  group: Command,
  leaf: (group: Command, name: string, description: string) => Command,
  context: Context,
): void => {
  const secrets = group.command('secrets').description('what mail providers sign their callbacks with');
  const provider = () => new Argument('<provider>', 'whose').choices(Object.keys(SECRET_OF));
  // Proof of the casts: the parser refuses a missing provider, and what is none of the choices.

  outputOptions(leaf(secrets, 'list', 'show whose callbacks can be checked, and where they are posted'), [
    'table',
    'json',
    'ndjson',
    'yaml',
  ]).action(
    act(context, (flags) =>
      inEnvironment(context, flags, async (beckon, scope) => {
        createOutput(context.io, flags).rows(await rowsOf(beckon, scope), columns(context.io));
        return undefined;
      }),
    ),
  );

  outputOptions(leaf(secrets, 'set', 'set it; it is sealed and never shown again'))
    .addArgument(provider())
    .requiredOption(
      '--file <file>',
      'file with the secret, a line each while two are exchanged, or JSON; - reads stdin',
    )
    .addHelpText(
      'after',
      `
What it is: ${Object.entries(SECRET_OF)
        .map(([name, word]) => `${name} ${word}`)
        .join(', ')}.
Postmark signs nothing: a secret that it sends as a header, or {"user": ..., "password": ...}.`,
    )
    .action(
      act<SetFlags>(context, async (flags, [name]) => {
        const own = name as CallbackProvider;
        return change(context, flags, own, await valueIn(context, own, flags));
      }),
    );

  outputOptions(leaf(secrets, 'remove', 'take it away: what its provider posts is refused from then on'))
    .addArgument(provider())
    .action(act(context, (flags, [name]) => change(context, flags, name as CallbackProvider, null)));
};
