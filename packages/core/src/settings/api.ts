import type { z } from 'zod';
import type { CallbackStates } from '../callbacks/api.ts';
import type { CallbackChange } from '../email/callbacks/settings.ts';
import type { Channel } from '../primitives/channel.ts';
import type { Frozen } from '../primitives/frozen.ts';
import type { Scope } from '../primitives/scope.ts';
import type { PROVIDERS } from '../providers/names.ts';
import type { providerSettings } from '../providers/schema.ts';
import type { ChannelSettings, channelSettings, SharedSettings, sharedSettings } from './schema.ts';

/** The providers of all channels. */
export type Provider = ProviderOf<Channel>;

/** A provider, or the name that a host program gave its own transport. */
export type NamedProvider = Provider | (string & {});

/** Credentials of one provider as they are shown: what they are called, never what they are. */
export type ProviderState = {
  readonly provider: NamedProvider;
  readonly configured: boolean;
  /** The end of an id that tells credentials apart; null where there are none. */
  readonly lastFour: string | null;
  /** When the provider last accepted something with them. */
  readonly provenAt: Date | null;
  readonly updatedAt: Date | null;
  /** Raised by every change. */
  readonly version: number | null;
};

/** `ok` null: this provider cannot be asked without a recipient. `sandbox`: the environment is `test`. */
export type ProviderTest = {
  readonly provider: NamedProvider | 'sandbox';
  readonly ok: boolean | null;
  readonly code: string | null;
  readonly message: string | null;
};

export type ProviderStates<C extends Channel> = { readonly [P in ProviderOf<C>]: ProviderState };

/** Of a channel: what all channels share, what is its own, and its providers, those that are not configured among them. */
export type Settings<C extends Channel> = ProviderStates<C> & SharedSettings & ChannelSettings[C] & CallbackStates<C>;

/** What a channel of a scope is set to. Credentials are written and never read back. */
export type SettingsApi = {
  get<C extends Channel>(scope: Scope, channel: C): Promise<Settings<C>>;
  /**
   * Merges by key; null removes a provider's credentials, and gives any other value its default. In use in every
   * process within 10 s. Throws VALIDATION_ERROR, also for unknown keys.
   */
  put<C extends Channel>(scope: Scope, channel: C, body: SettingsInput<C>): Promise<Settings<C>>;
  /** Asks the configured providers whether they take the credentials. Throws PROVIDER_NOT_CONFIGURED. */
  test(scope: Scope, channel: Channel): Promise<{ readonly results: readonly ProviderTest[] }>;
};

/** The providers of a channel: APNs, FCM and Web Push of `push`, SMTP of `email`, Twilio and Telnyx of `sms`. */
export type ProviderOf<C extends Channel> = (typeof PROVIDERS)[C][number];

type Changes<Shape extends Readonly<Record<string, z.ZodType>>> = {
  readonly [Key in keyof Shape]?: Frozen<z.input<Shape[Key]>> | null | undefined;
};

/**
 * What is set of a channel: credentials of its providers by name, and how its messages go out. Null removes credentials
 * and gives any other value its default; what is left out is not touched.
 */
export type SettingsInput<C extends Channel> = {
  readonly [P in ProviderOf<C>]?: Frozen<z.input<(typeof providerSettings)[P]>> | null | undefined;
} & Changes<typeof sharedSettings> &
  Changes<(typeof channelSettings)[C]> &
  (C extends 'email' ? { readonly callbacks?: Frozen<CallbackChange> } : unknown);
