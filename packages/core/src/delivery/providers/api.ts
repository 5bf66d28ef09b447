import type { Channel } from '../../foundation/channel.ts';
import type { ProviderState } from './answers.generated.ts';
import type { PROVIDERS } from './names.ts';

/** Every provider, of any channel. */
export type Provider = ProviderOf<Channel>;

/** A provider, or the name of a host program's own transport. */
export type NamedProvider = Provider | (string & {});

export type ProviderStates<C extends Channel> = { readonly [P in ProviderOf<C>]: ProviderState };

/**
 * Providers of one channel: APNs, FCM and Web Push for `push`, SMTP and mail APIs for `email`, Twilio and Telnyx for
 * `sms`.
 */
export type ProviderOf<C extends Channel> = (typeof PROVIDERS)[C][number];

/** Messages that ended, by a name that they have in common. */
export type ByName<Name extends string> = Readonly<
  Partial<Record<Name, { readonly sent: number; readonly failed: number }>>
>;
