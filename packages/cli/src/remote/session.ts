import type { Environment } from '@beckon/core';
import { type Api, apiOf } from '../api.ts';
import type { CommonFlags, Context } from '../command-line.ts';
import { CliError, usageError } from '../exit-codes.ts';
import { readSecret } from '../input.ts';
import { remoteClient } from './client.ts';

/** The environment of a key, from its prefix. */
const environmentOf = (apiKey: string): Environment => (apiKey.startsWith('sk_test_') ? 'test' : 'prod');

const keyOf = async ({ io }: Pick<Context, 'io'>, { apiKeyFile }: CommonFlags): Promise<string> => {
  const key = apiKeyFile === undefined ? io.env['BECKON_API_KEY'] : await readSecret(io, apiKeyFile);
  if (key) return key;
  throw usageError('--url needs a secret API key.', 'Pass it with --api-key-file, or set BECKON_API_KEY.');
};

/** Runs `work` with the operations of the server of `--url`. Throws CliError. */
export const withRemote = async <T>(
  context: Context,
  flags: CommonFlags,
  work: (api: Api) => Promise<T>,
): Promise<T> => {
  const { io, services } = context;
  const { url = '', org, project } = flags;
  const apiKey = await keyOf(context, flags);
  const environment = environmentOf(apiKey);
  if (flags.env !== undefined && flags.env !== environment)
    throw usageError(
      `The API key is for ${environment}, but --env is ${flags.env}. Pass --env ${environment}, or another key.`,
    );
  const sleep = (ms: number): Promise<void> => new Promise((done) => void io.after(ms, done));
  context.place = url;
  try {
    return await work(apiOf(environment, remoteClient({ url, apiKey, org, project, fetch: services.fetch, sleep })));
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== 'NOT_FOUND') throw error;
    const { exitCode, message, code, details, hint } = error;
    throw new CliError(exitCode, message, {
      code,
      details,
      hint: [hint?.replace(/\.?$/, '.'), `(Server: ${url})`].join(' ').trim(),
      cause: error,
    });
  }
};
