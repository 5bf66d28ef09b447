import type { Beckon, Scope } from '@beckon/core';
import { type Api, apiOf } from '../api.ts';
import type { CommonFlags, Context } from '../command-line.ts';
import { CliError, usageError } from '../exit-codes.ts';
import { readSecret } from '../input.ts';
import { remoteBeckon } from './beckon.ts';
import { type Client, carriedBy, remoteClient } from './client.ts';

/** The environment that a key is of: its prefix says so. */
const environmentOf = (apiKey: string): Scope['environment'] => (apiKey.startsWith('sk_test_') ? 'test' : 'prod');

const keyOf = async ({ io }: Pick<Context, 'io'>, { apiKeyFile }: CommonFlags): Promise<string> => {
  const key = apiKeyFile === undefined ? io.env['BECKON_API_KEY'] : await readSecret(io, apiKeyFile);
  if (key) return key;
  throw usageError('--url needs a secret key.', 'Give it with --api-key-file, or in BECKON_API_KEY.');
};

const withClient = async <T>(
  context: Context,
  flags: CommonFlags,
  work: (client: Client, environment: Scope['environment']) => Promise<T>,
): Promise<T> => {
  const { io, services } = context;
  const { url = '', org, project } = flags;
  const apiKey = await keyOf(context, flags);
  const environment = environmentOf(apiKey);
  if (flags.env !== undefined && flags.env !== environment)
    throw usageError(`The key is of ${environment}, and --env says ${flags.env}.`);
  const sleep = (ms: number): Promise<void> => new Promise((done) => void io.after(ms, done));
  context.place = url;
  try {
    return await work(remoteClient({ url, apiKey, org, project, fetch: services.fetch, sleep }), environment);
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== 'NOT_FOUND') throw error;
    const { exitCode, message, code, details, hint } = error;
    throw new CliError(exitCode, message, {
      code,
      details,
      hint: [hint, `Asked ${url}.`].join(' ').trim(),
      cause: error,
    });
  }
};

/** Runs `work` with the operations of the running service that `--url` names. Throws CliError. */
export const withRemoteApi = <T>(context: Context, flags: CommonFlags, work: (api: Api) => Promise<T>): Promise<T> =>
  withClient(context, flags, (client, environment) => work(apiOf(environment, carriedBy(client))));

/** Runs `work` on the running service that `--url` names. Throws CliError. */
export const withRemote = <T>(
  context: Context,
  flags: CommonFlags,
  work: (beckon: Beckon, scope: Scope) => Promise<T>,
): Promise<T> =>
  withClient(context, flags, (client, environment) =>
    // Safe: a remote function looks at nothing of its scope; commands name the environment.
    work(
      remoteBeckon((call) => client({ ...call, revives: true })),
      { environment } as Scope,
    ),
  );
