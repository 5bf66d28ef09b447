import type { Channel, ProviderState, Scope, SettingsApi } from '@beckon/core';
import type { CommonFlags, Context } from './command-line.ts';
import type { Config } from './config.ts';
import { usageError } from './exit-codes.ts';

/** What a command on providers works with; the environment is always `prod`. */
export type OfProviders = { readonly settings: SettingsApi; readonly scope: Scope; readonly config: Config };

const isState = (value: unknown): value is ProviderState =>
  typeof value === 'object' && value !== null && 'configured' in value;

/** The providers of a channel, without what else is set of it. Throws what the settings throw. */
export const providerStates = async (
  { settings, scope }: Pick<OfProviders, 'settings' | 'scope'>,
  channel: Channel,
): Promise<ProviderState[]> => Object.values<unknown>({ ...(await settings.get(scope, channel)) }).filter(isState);

/** Throws CliError usage for `--env test`. */
export const requireProd = ({ env }: CommonFlags): void => {
  if (env !== 'test') return;
  throw usageError('Providers serve prod; in test the sandbox takes every message, and there is nothing to set up.');
};

/** Runs `work` on the settings of `prod`, and closes the database whatever happens. Throws as `requireProd`. */
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
