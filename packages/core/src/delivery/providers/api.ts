import type { Channel } from '../../foundation/channel.ts';
import type { ProviderState } from './answers.generated.ts';
import type { PROVIDERS } from './names.ts';

/** The providers of all channels. */
export type Provider = ProviderOf<Channel>;

/** A provider, or the name that a host program gave its own transport. */
export type NamedProvider = Provider | (string & {});

export type ProviderStates<C extends Channel> = { readonly [P in ProviderOf<C>]: ProviderState };

/** The providers of a channel: APNs, FCM and Web Push of `push`, SMTP of `email`, Twilio and Telnyx of `sms`. */
export type ProviderOf<C extends Channel> = (typeof PROVIDERS)[C][number];

/** Messages that ended, by a name that they have in common. */
export type ByName<Name extends string> = Readonly<
  Partial<Record<Name, { readonly sent: number; readonly failed: number }>>
>;
