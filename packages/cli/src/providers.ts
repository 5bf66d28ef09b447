import type { Channel, ProviderState, Scope, SettingsApi } from '@beckon/core';
import type { CommonFlags, Context } from './command-line.ts';
import type { Config } from './config.ts';
import { usageError } from './exit-codes.ts';

/** Input of commands on providers; the environment is always `prod`. */
export type OfProviders = { readonly settings: SettingsApi; readonly scope: Scope; readonly config: Config };

const isState = (value: unknown): value is ProviderState =>
  typeof value === 'object' && value !== null && 'configured' in value;

/** The states of a channel's providers. Throws the errors of the settings. */
export const providerStates = async (
  { settings, scope }: Pick<OfProviders, 'settings' | 'scope'>,
  channel: Channel,
): Promise<ProviderState[]> => Object.values<unknown>({ ...(await settings.get(scope, channel)) }).filter(isState);

/** Throws CliError usage for `--env test`. */
export const requireProd = ({ env }: CommonFlags): void => {
  if (env !== 'test') return;
  throw usageError('Providers apply to prod only. Test messages go to the outbox.');
};

/** Runs `work` on the settings of `prod` and always closes the database. Throws as `requireProd`. */
export const withProviders = async <T>(
  context: Context,
  flags: CommonFlags,
  work: (of: OfProviders) => Promise<T>,
): Promise<T> => {
  requireProd(flags);
  const { environmentScope, withBeckon } = await import('./session.ts');
  return withBeckon(context, flags, async (beckon, config) =>
    work({
      settings: beckon.settings,
      scope: await environmentScope(beckon, flags, 'prod'),
      config,
    }),
  );
};
