import { Option } from 'commander';
import type { Answer, Api, RowOf } from '../api.ts';
import type { Context } from '../command-line.ts';
import { CliError, EXIT } from '../exit-codes.ts';
import { wholeId } from '../ids.ts';
import { readSecret } from '../input.ts';
import { exportUsers, importUsers } from '../portable-users/commands.ts';
import { fieldLines } from '../scoped.ts';
import { custom } from '../table/custom.ts';
import { noun } from '../table/noun.ts';
import { calls, lists } from '../table/verbs.ts';
import { clean } from '../text.ts';

type User = Answer<'GET /auth-service/users/{id}'>;
type MfaStatus = Answer<'GET /auth-service/users/{id}/factors'>;
type Session = RowOf<'GET /auth-service/users/{id}/sessions'>;

/** The account id of an email address, a userId or an id. Throws CliError negative if there is no such user. */
export const idOf = async (api: Api, named: string): Promise<string> => {
  const list = (query: object) => api.page('GET /auth-service/users', { query });
  for (const filter of named.includes('@') ? ['email', 'userId'] : ['userId']) {
    const [found] = (await list({ [filter]: named, limit: 1 })).data;
    if (found) return found.id;
  }
  return wholeId('user', named, list);
};

const userLines = (user: User): string[] =>
  fieldLines([
    ['id', user.id],
    ['user', user.userId],
    ['email', user.email],
    ['verified', user.email === null ? null : user.emailVerified ? 'yes' : 'no'],
    ['phone', user.phone],
    ['name', user.name],
    ['locale', user.locale],
    ['timezone', user.timezone],
    ['disabled', user.disabled ? 'yes' : 'no'],
    ['second factor', user.mfaEnabled ? 'yes' : 'no'],
    ['source', user.source],
    ['created', user.createdAt],
    ['last sign-in', user.lastSignInAt],
    ['metadata', Object.keys(user.metadata).length === 0 ? null : JSON.stringify(user.metadata)],
  ]);

/** Second factors; nothing for a user who has none and entered no wrong code. */
const mfaLines = ({ factors, recoveryCodesLeft, wrongCodes, waitUntil, blockedAt }: MfaStatus): string[] =>
  factors.length === 0 && wrongCodes === 0
    ? []
    : fieldLines([
        ['factors', factors.map(({ type, lost }) => (lost ? `${type} (lost)` : type)).join(', ')],
        ['recovery codes left', String(recoveryCodesLeft)],
        ['wrong codes', String(wrongCodes)],
        ['wait until', waitUntil],
        ['blocked since', blockedAt],
      ]);

const yesOrNo = (text: string): boolean => text === 'yes';
const profile = {
  name: { text: 'Display name', value: 'name' },
  locale: { text: 'Language, such as en or pt-BR', value: 'locale' },
  timezone: { text: 'IANA time zone', value: 'zone' },
  phone: { text: 'Phone number in E.164', value: 'number' },
} as const;
const verified = {
  field: 'emailVerified',
  text: 'Whether the email address is verified',
  value: 'verified',
  choices: ['yes', 'no'],
  convert: yesOrNo,
} as const;
const user = { arg: ['<user>', 'Email address, user id or account id'], into: 'id', find: idOf } as const;

type NewUser = {
  readonly [Name in 'externalId' | 'name' | 'locale' | 'timezone' | 'phone' | 'passwordFile']?: string;
} & {
  readonly verified?: string;
};

/** Asks for the argument again, because an erasure cannot be undone. */
const confirm = async ({ io }: Context, isCertain: boolean, named: string, environment: string): Promise<void> => {
  if (isCertain) return;
  if (!io.stdin.isTTY || !io.stderr.isTTY)
    throw new CliError(EXIT.unconfirmed, `Deleting "${clean(named)}" cannot be undone and needs confirmation.`, {
      hint: 'Pass --yes. To see the user first, run "beckon users get". To end sign-in only, run "beckon users disable".',
    });
  const answer = await io.stdin.prompt(`Delete ${clean(named)} in ${environment}? Type the same again to confirm: `);
  if (answer.trim() !== named) throw new CliError(EXIT.negative, 'Nothing was deleted.');
};

/** End users who sign in. */
export const users = noun('users', 'Manage end users who sign in', {
  list: lists('GET /auth-service/users', {
    about: 'List users, newest first',
    examples: ['--env test', '--disabled yes --env test'],
    flags: {
      email: { text: 'Email address', value: 'address' },
      source: { text: 'How the account was created' },
      disabled: {
        ...{ text: 'Whether sign-in is disabled', value: 'disabled', choices: ['yes', 'no'] },
        convert: (text: string) => String(yesOrNo(text)),
      },
    },
    columns: ({ id, time }) => [
      ['ID', (row) => id(row.id)],
      ['USER', ({ userId }) => userId],
      ['EMAIL', ({ email }) => email],
      ['VERIFIED', ({ emailVerified }) => (emailVerified ? 'yes' : 'no')],
      ['STATUS', ({ disabled }) => (disabled ? 'disabled' : 'active')],
      ['CREATED', ({ createdAt }) => time(createdAt)],
      ['LAST SIGN-IN', ({ lastSignInAt }) => time(lastSignInAt)],
    ],
    none: ({ environment, place }) => `No users match in ${environment} (${place}).`,
  }),
  get: custom({
    about: 'Show a user with the state of second factors',
    examples: ['ada@example.com --env test'],
    args: [user.arg],
    work: async (api, { args: [named = ''], output }) => {
      const params = { id: await idOf(api, named) };
      const found = await api.call('GET /auth-service/users/{id}', { params });
      const mfa = await api.call('GET /auth-service/users/{id}/factors', { params });
      output.answer({ ...found, mfa }, [...userLines(found), ...mfaLines(mfa)]);
      return undefined;
    },
  }),
  create: custom<NewUser>({
    about: 'Create a user who can sign in at once',
    examples: [
      'ada@example.com --verified yes --env test',
      'ada@example.com --external-id ada --password-file - --env test',
    ],
    help: '\nWithout a password the user sets one with the link of "beckon users send-reset".',
    args: [['<email>', 'Email address']],
    options: [
      new Option('--external-id <id>', 'Your id of the user; it becomes the userId of the profile'),
      new Option('--verified <verified>', 'Whether the email address is verified').choices(['yes', 'no']),
      new Option('--name <name>', 'Display name'),
      new Option('--locale <locale>', 'Language, such as en or pt-BR'),
      new Option('--timezone <zone>', 'IANA time zone'),
      new Option('--phone <number>', 'Phone number in E.164'),
      new Option('--password-file <file>', 'File with the password, - for stdin'),
    ],
    work: async (api, { context, flags, args: [email = ''], output }) => {
      const { externalId, name, locale, timezone, phone, passwordFile } = flags;
      const password = passwordFile === undefined ? undefined : await readSecret(context.io, passwordFile);
      const emailVerified = flags.verified === undefined ? undefined : yesOrNo(flags.verified);
      const fields = { email, emailVerified, externalId, name, locale, timezone, phone, password };
      const body = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
      // Safe: core validates the body.
      const created = await api.call('POST /auth-service/users', { body: body as never });
      output.answer(created, userLines(created));
      return undefined;
    },
  }),
  import: importUsers,
  export: exportUsers,
  update: calls('PATCH /auth-service/users/{id}', {
    about: 'Change a user',
    examples: ['ada@example.com --name "Ada L." --env test', 'ada@example.com --verified yes --env test'],
    args: [user],
    flags: { email: { text: 'Email address', value: 'address' }, verified, ...profile },
    lines: userLines,
  }),
  disable: calls('PATCH /auth-service/users/{id}', {
    about: 'Disable sign-in of a user, and end all sessions',
    examples: ['ada@example.com --env test'],
    args: [user],
    body: { disabled: true },
    lines: ({ userId }) => [`Disabled ${clean(userId)}. All sessions were ended.`],
  }),
  enable: calls('PATCH /auth-service/users/{id}', {
    about: 'Enable sign-in of a user again',
    examples: ['ada@example.com --env test'],
    args: [user],
    body: { disabled: false },
    lines: ({ userId }) => [`Enabled ${clean(userId)}.`],
  }),
  delete: custom<{ readonly yes?: boolean }>({
    about: 'Erase a user and all related data',
    examples: ['ada@example.com --yes --env test'],
    exits: '0 requested, 9 confirmation required',
    args: [user.arg],
    options: [new Option('-y, --yes', 'Skip the confirmation')],
    work: async (api, { context, flags: { yes }, args: [named = ''], output }) => {
      const id = await idOf(api, named);
      await confirm(context, yes === true, named, api.environment);
      const requested = await api.call('DELETE /auth-service/users/{id}', { params: { id } });
      output.answer(requested, [
        `Requested erasure ${requested.erasureId}. A worker runs it.`,
        `Show its status: beckon profiles erasure ${requested.erasureId} --env ${api.environment}`,
      ]);
      return undefined;
    },
  }),
  sessions: custom<{ readonly revoke?: boolean }>({
    about: 'List or end the sessions of a user',
    examples: ['ada@example.com --env test', 'ada@example.com --revoke --env test'],
    args: [user.arg],
    options: [new Option('--revoke', 'End all sessions')],
    forms: ['table', 'json', 'ndjson', 'yaml'],
    work: async (api, { flags: { revoke }, args: [named = ''], output, screen: { id: shown, time } }) => {
      const params = { id: await idOf(api, named) };
      if (revoke === true) {
        const { revoked } = await api.call('POST /auth-service/users/{id}/sessions/revoke', { params });
        output.answer({ revoked }, [`Ended ${revoked} ${revoked === 1 ? 'session' : 'sessions'}.`]);
        return undefined;
      }
      const { data } = await api.page('GET /auth-service/users/{id}/sessions', { params });
      output.rows<Session>(data, [
        ['ID', ({ id }) => shown(id)],
        ['SIGNED IN', ({ createdAt }) => time(createdAt)],
        ['LAST SEEN', ({ lastSeenAt }) => time(lastSeenAt)],
        ['EXPIRES', ({ expiresAt }) => time(expiresAt)],
        ['NETWORK', ({ ipNet }) => ipNet],
        ['CLIENT', ({ userAgent }) => userAgent],
      ]);
      if (output.form === 'table' && data.length === 0) output.note('The user has no live sessions.');
      return undefined;
    },
  }),
  impersonate: calls('POST /auth-service/users/{id}/impersonate', {
    about: 'Issue an access token of 15 minutes that acts as a user',
    examples: ['ada@example.com --reason "Ticket 4711" --env test'],
    help: '\nThe audit log has the reason. "beckon users sessions USER --revoke" ends it at once.',
    args: [user],
    flags: { reason: { text: 'Why you act as the user', value: 'text' } },
    lines: ({ accessToken, expiresAt, sessionId }) =>
      fieldLines([
        ['access token', accessToken],
        ['expires', expiresAt],
        ['session', sessionId],
      ]),
  }),
  'mfa-reset': calls('POST /auth-service/users/{id}/mfa/reset', {
    about: 'Reset the second factors of a user, and end all sessions',
    examples: ['ada@example.com --env test'],
    args: [user],
    lines: ({ revoked }) => [`Removed the second factors. Ended ${revoked} ${revoked === 1 ? 'session' : 'sessions'}.`],
  }),
  'send-reset': calls('POST /auth-service/users/{id}/send-reset', {
    about: 'Email a user a link to reset the password',
    examples: ['ada@example.com --env test'],
    args: [user],
    isSending: true,
    lines: () => ['Requested the email. Each mailbox receives at most 1 a minute, 5 an hour and 10 a day.'],
  }),
});
