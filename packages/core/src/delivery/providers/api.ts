import type { Channel } from '../../foundation/channel.ts';

import type { Platform } from '../../foundation/device-platform.ts';
import type { PROVIDERS } from './names.ts';

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

/** The providers of a channel: APNs, FCM and Web Push of `push`, SMTP of `email`, Twilio and Telnyx of `sms`. */
export type ProviderOf<C extends Channel> = (typeof PROVIDERS)[C][number];

/**
 * Shares are of what ended as sent or failed and of what failed and is tried again; a failure rate of 5 % is `degraded`,
 * of 50 % `failing`.
 */
export type DeliveryHealth = {
  readonly windowMinutes: number;
  readonly sent: number;
  /** Messages whose last attempt failed: those that ended with it, and those that are tried again. */
  readonly failed: number;
  /** How many of `failed` are tried again. */
  readonly retrying: number;
  /** 0 to 1; 0 where nothing was tried. */
  readonly failureRate: number;
  /** By `errorCode` of the messages, which providers have many of; `unknown` where there was none. */
  readonly byReason: Readonly<Record<string, number>>;
  readonly byPlatform: ByName<Platform>;
  readonly byProvider: ByName<Provider | 'sandbox'>;
  readonly tokensInvalidated: number;
  readonly oldestQueuedAgeSeconds: number;
  /** Of providers that refuse their credentials, or do not answer where another one can: nothing goes before `until`. */
  readonly openCircuits: readonly { readonly provider: NamedProvider; readonly until: Date; readonly code: string }[];
  readonly status: 'ok' | 'degraded' | 'failing';
};

/** Messages that ended, by a name that they have in common. */
export type ByName<Name extends string> = Readonly<
  Partial<Record<Name, { readonly sent: number; readonly failed: number }>>
>;
