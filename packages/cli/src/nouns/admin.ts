import type { OperatorWithLink } from '@beckon/core/identity';
import { Option } from 'commander';
import type { Context } from '../command-line.ts';
import type { Config } from '../config.ts';
import { CliError, EXIT, usageError } from '../exit-codes.ts';
import { readSecret } from '../input.ts';
import { collect, type LimitFlag, limitOption, noteMore } from '../listing.ts';
import { customLocal } from '../table/custom.ts';
import { noun, ROWS } from '../table/noun.ts';

type PasswordFlags = { readonly passwordFile?: string; readonly link?: boolean };

const passwordOptions = (): Option[] => [
  new Option('--password-file <file>', 'File with the password, - for stdin'),
  new Option('--link', 'Print a link with which the admin sets a password'),
];
const email = ['<email>', 'Email address'] as const;

/** The password of a file or of a prompt; undefined: a link is wanted. Throws CliError. */
const passwordOf = async ({ io }: Context, { passwordFile, link }: PasswordFlags): Promise<string | undefined> => {
  if (link === true && passwordFile !== undefined) throw usageError('Pass either --link or --password-file.');
  if (link === true) return undefined;
  if (passwordFile !== undefined) return readSecret(io, passwordFile);
  // Without a terminal nobody can type one.
  if (!io.stdin.isTTY || !io.stderr.isTTY) return undefined;
  const password = await io.stdin.prompt('Password: ', { isHidden: true });
  if (password !== (await io.stdin.prompt('Password again: ', { isHidden: true })))
    throw new CliError(EXIT.invalid, 'The two passwords differ. Nothing was changed.');
  return password;
};

const SET_PASSWORD = { name: 'password', about: 'Set the password' };

/** What a script gets: the link is a secret that is shown once. */
const answerOf = (
  { operator, link }: OperatorWithLink,
  { publicUrl, port = 8080 }: Config,
  { name, about }: { readonly name: string; readonly about: string } = SET_PASSWORD,
) => {
  const { id, email: address } = operator;
  const at = (publicUrl ?? `http://localhost:${port}`).replace(/\/$/, '');
  const url = link && `${at}/_/#${name}=${link.token}`;
  const lines =
    url === null ? [] : [`${about} with this link. It works once:`, url, `Expires: ${link?.expiresAt.toISOString()}`];
  return { answer: { id, email: address, url, expiresAt: link?.expiresAt ?? null }, lines };
};

/** Those who run this deployment and sign in to its console. */
export const admin = noun('admin', 'Manage admins of this deployment', {
  create: customLocal<PasswordFlags>({
    level: 'database',
    about: 'Create an admin of this deployment',
    examples: ['ada@example.com', 'ada@example.com --link', 'ada@example.com --password-file -'],
    help: '\nPrompts for a password. Without a terminal, or with --link, it prints a link that is valid for 30 minutes.',
    args: [email],
    options: passwordOptions(),
    work: async ({ operators }, { context, config, flags, args: [address = ''], output }) => {
      const password = await passwordOf(context, flags);
      const { answer, lines } = answerOf(await operators.create({ email: address, password }), config);
      output.answer(answer, [`Created admin ${answer.email}.`, ...lines]);
      return undefined;
    },
  }),
  'reset-password': customLocal<PasswordFlags>({
    level: 'database',
    about: 'Set a new password of an admin, and end all sessions',
    examples: ['ada@example.com', 'ada@example.com --link'],
    help: '\nWith a link, the present password and sessions stay valid until the link is used.',
    args: [email],
    options: passwordOptions(),
    work: async ({ operators }, { context, config, flags, args: [address = ''], output }) => {
      const password = await passwordOf(context, flags);
      const { answer, lines } = answerOf(await operators.resetPassword({ email: address, password }), config);
      output.answer(
        answer,
        lines.length > 0 ? lines : [`Set the password of ${answer.email}. All sessions were ended.`],
      );
      return undefined;
    },
  }),
  'login-link': customLocal({
    level: 'database',
    about: 'Print a link that signs an admin in',
    examples: ['ada@example.com'],
    help: '\nThe link works once, for 10 minutes. An earlier link ends.',
    args: [email],
    work: async ({ operators }, { config, args: [address = ''], output }) => {
      const created = await operators.createLoginLink({ email: address });
      const { answer, lines } = answerOf(created, config, { name: 'login', about: 'Sign in' });
      output.answer(answer, lines);
      return undefined;
    },
  }),
  list: customLocal<LimitFlag>({
    level: 'database',
    about: 'List admins of this deployment, newest first',
    examples: [''],
    forms: ROWS,
    options: [limitOption()],
    work: async ({ operators }, { flags, output, context, screen: { time } }) => {
      const { rows, hasMore } = await collect(flags.limit, operators.list);
      output.rows(rows, [
        ['EMAIL', ({ email: address }) => address],
        ['CREATED', ({ createdAt }) => time(createdAt.toISOString())],
        ['LAST SIGN-IN', ({ lastSignInAt }) => time(lastSignInAt?.toISOString() ?? null)],
        ['ID', ({ id }) => id],
      ]);
      if (output.form === 'table' && rows.length === 0)
        output.note(`No admins yet (${context.place}). Create one: beckon admin create <email>`);
      noteMore(output, hasMore, flags.limit);
      return undefined;
    },
  }),
});
