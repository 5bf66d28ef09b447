import type { z } from 'zod';
import type { ProviderOf } from '../../delivery/providers/api.ts';
import type { providerSettings } from '../../delivery/providers/schema.ts';
import type { Channel } from '../../foundation/channel.ts';
import type { Frozen } from '../../foundation/frozen.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { CallbackChange } from '../callbacks/email-settings.ts';
import type { EmailSettings, ProviderTests, PushSettings, SmsSettings } from './answers.generated.ts';
import type { channelSettings, sharedSettings } from './schema.ts';

/** Settings of a channel. */
export type Settings<C extends Channel> = {
  readonly push: PushSettings;
  readonly email: EmailSettings;
  readonly sms: SmsSettings;
}[C];

/** Settings of a channel and scope. Credentials can be written but not read. */
export type SettingsApi = {
  get<C extends Channel>(scope: Scope, channel: C): Promise<Settings<C>>;
  /**
   * Merges by key; null removes a provider's credentials and resets any other value to its default. Effective in every
   * process within 10 s. A new `orgDefaultTimezone` recomputes audiences that use the time zone `org`. Throws
   * VALIDATION_ERROR, also for unknown keys.
   */
  update<C extends Channel>(scope: Scope, channel: C, body: SettingsInput<C>): Promise<Settings<C>>;
  /** Checks the credentials with the configured providers. Throws PROVIDER_NOT_CONFIGURED. */
  test(scope: Scope, channel: Channel): Promise<ProviderTests>;
};

type Changes<Shape extends Readonly<Record<string, z.ZodType>>> = {
  readonly [Key in keyof Shape]?: Frozen<z.input<Shape[Key]>> | null | undefined;
};

/**
 * A change of a channel's settings: provider credentials by name, and delivery settings. Null removes credentials and
 * resets any other value to its default; omitted keys keep their values.
 */
export type SettingsInput<C extends Channel> = {
  readonly [P in ProviderOf<C>]?: Frozen<z.input<(typeof providerSettings)[P]>> | null | undefined;
} & Changes<typeof sharedSettings> &
  Changes<(typeof channelSettings)[C]> &
  (C extends 'email' ? { readonly callbacks?: Frozen<CallbackChange> } : unknown);
