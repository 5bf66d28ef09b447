import { Option } from 'commander';
import type { Api } from '../api.ts';
import type { CommonFlags, Context } from '../command-line.ts';
import { CliError, EXIT, failureOf } from '../exit-codes.ts';
import { createOutput } from '../output.ts';
import { inApi } from '../scoped.ts';
import { leavesOf, noSetting, partsOf, textOf, valueAt, withValue } from '../setting-paths.ts';
import { noun } from '../table/noun.ts';
import { calls, lists } from '../table/verbs.ts';
import { claims } from './auth-claims.ts';
import { scim } from './auth-scim.ts';
import { social } from './auth-social.ts';
import { sso } from './auth-sso.ts';
import { changesOf, linesOf, type SetFlags } from './settings.ts';
import { idOf } from './users.ts';

/** Name of these settings in messages. */
const NAME = 'auth';

const get = (context: Context, flags: CommonFlags, key: string | undefined) =>
  inApi(context, flags, {}, async (api) => {
    const values = await api.call('GET /auth-service/settings', {});
    const value = key === undefined ? values : valueAt(values, partsOf(key));
    if (value === undefined)
      throw new CliError(EXIT.negative, noSetting(NAME, key ?? '', values), {
        code: 'NOT_FOUND',
        hint: 'List all settings: beckon auth settings get',
      });
    createOutput(context.io, flags).answer(value, linesOf(value, key ?? ''));
    return undefined;
  });

const set = async (context: Context, flags: CommonFlags & SetFlags, [key, text]: readonly (string | undefined)[]) => {
  const values = await changesOf(context, flags, key, text, 'beckon auth settings set KEY VALUE');
  const changes = values.map(([name, value]) => ({ parts: partsOf(name), value }));
  return inApi(context, flags, {}, async (api: Api) => {
    // The API replaces groups as a whole, so their other parts are sent again.
    const before: object = await api.call('GET /auth-service/settings', {});
    const body = new Map<string, unknown>();
    for (const { parts, value } of changes) {
      const [first, ...rest] = parts;
      body.set(first, withValue(body.has(first) ? body.get(first) : valueAt(before, [first]), rest, value));
    }
    // Safe: core validates the body.
    const input = { body: Object.fromEntries(body) as never };
    const after: object = await api.call('PUT /auth-service/settings', input).catch((error: unknown) => {
      const { exitCode, code, message, details } = failureOf(error);
      const unknown = changes.filter(({ parts }) => valueAt(before, parts) === undefined);
      if (code !== 'VALIDATION_ERROR' || unknown.length === 0) throw error;
      const hint = unknown.map(({ parts }) => noSetting(NAME, parts.join('.'), before)).join('\n');
      throw new CliError(exitCode, message, { code, details, hint, cause: error });
    });
    const changed = changes.map(({ parts }) => [parts.join('.'), valueAt(after, parts) ?? null] as const);
    createOutput(context.io, flags).answer(
      Object.fromEntries(changed),
      changed.flatMap(([name, value]) => leavesOf(value, name)).map(([name, value]) => `${name}: ${textOf(value)}`),
    );
    return undefined;
  });
};

const settings = noun('settings', 'Manage sign-in settings', {
  get: {
    about: 'Show the sign-in settings',
    examples: ['--env test', 'session.idleDays --env test'],
    args: [['[key]', 'Setting, such as session.idleDays (default: all)']],
    isRemote: true,
    run: (context, flags, [key]) => get(context, flags, key),
  },
  set: {
    about: 'Change a sign-in setting',
    examples: [
      'password.minLength 12 --env test',
      `redirectUris '["https://app.example/in"]' --env test`,
      '--file auth.json --env test',
    ],
    args: [
      ['[key]', 'Setting, such as session.idleDays; optional with --file'],
      ['[value]', 'JSON or plain text; null restores the default'],
    ],
    options: [new Option('--file <file>', 'JSON file with the value, - for stdin')],
    isRemote: true,
    run: (context, flags, words) => set(context, flags, words),
  },
});

const keys = noun('keys', 'Manage the keys that sign access tokens', {
  list: lists('GET /auth-service/signing-keys', {
    about: 'List signing keys',
    examples: ['--env test'],
    columns: ({ time }) => [
      ['KEY', ({ kid }) => kid],
      ['ALGORITHM', ({ alg }) => alg],
      ['STATE', ({ state }) => state],
      ['SIGNS FROM', ({ activateAt }) => time(activateAt)],
      ['PUBLISHED UNTIL', ({ retireAt }) => time(retireAt)],
    ],
    none: ({ environment, place }) => `No keys yet in ${environment} (${place}). The first sign-in creates one.`,
  }),
  rotate: calls('POST /auth-service/signing-keys/rotate', {
    about: 'Replace the signing key',
    examples: ['--env test'],
    help: '\nThe next key is published for 10 minutes before it signs. The former key verifies\ntokens until the last one has expired.',
    exits: '0 started, 6 a rotation is running',
    lines: () => ['Started a rotation. Show its progress: beckon auth keys list'],
  }),
});

const audit = noun('audit', 'Inspect the audit log of sign-in', {
  list: lists('GET /auth-service/audit', {
    about: 'List entries, newest first',
    examples: ['--env test', '--action user.update --env test'],
    flags: {
      actor: { text: 'Who acted, such as user:ID or key:ID', value: 'actor' },
      action: { text: 'What was done, such as user.update', value: 'action' },
      target: { text: 'Account id concerned', value: 'id' },
      result: { text: 'Outcome, such as ok or invalid_credentials', value: 'result' },
    },
    columns: ({ id, time }) => [
      ['TIME', ({ at }) => time(at)],
      ['ACTOR', ({ actor }) => actor],
      ['ACTION', ({ action }) => action],
      ['TARGET', ({ target }) => id(target)],
      ['RESULT', ({ result }) => result],
      ['NETWORK', ({ ipNet }) => ipNet],
    ],
    none: ({ environment, place }) => `No entries match in ${environment} (${place}).`,
  }),
});

/** Sign-in of end users. Users have a noun of their own. */
export const auth = noun('auth', 'Manage sign-in: settings, keys, claims, SSO, SCIM, audit log', {
  settings,
  keys,
  claims: claims(idOf),
  social,
  sso,
  scim,
  audit,
});
