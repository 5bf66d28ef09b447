import type { Channel, Scope, SettingsApi } from '@beckon/core';
import type { CommonFlags, Context } from './command-line.ts';
import type { Config } from './config.ts';
import { usageError } from './exit-codes.ts';

/** Every provider and the channel that it serves; a name is a provider of one channel only. */
export const CHANNEL_OF = {
  apns: 'push',
  fcm: 'push',
  webpush: 'push',
  smtp: 'email',
  twilio: 'sms',
} as const satisfies Record<string, Channel>;

/** The name of a provider. */
export type Provider = keyof typeof CHANNEL_OF;

// Proof of the cast: these are the own keys of that very object.
export const PROVIDERS = Object.keys(CHANNEL_OF) as Provider[];

/** Channels in the order in which commands show and ask them. */
export const CHANNELS: readonly Channel[] = ['push', 'email', 'sms'];

/** What a command on providers works with; the environment is always `prod`. */
export type OfProviders = { readonly settings: SettingsApi; readonly scope: Scope; readonly config: Config };

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
