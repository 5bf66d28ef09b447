import type { Channel } from '../../foundation/channel.ts';

import type { Platform } from '../../foundation/device-platform.ts';
import type { PROVIDERS } from './names.ts';

/** Every provider, of any channel. */
export type Provider = ProviderOf<Channel>;

/** A provider, or the name of a host program's own transport. */
export type NamedProvider = Provider | (string & {});

/** State of one provider's credentials. Never holds a secret. */
export type ProviderState = {
  readonly provider: NamedProvider;
  readonly configured: boolean;
  /** The last characters of an id, to tell credentials apart; null without credentials. */
  readonly lastFour: string | null;
  /** When the provider last accepted a call with these credentials. */
  readonly provenAt: Date | null;
  readonly updatedAt: Date | null;
  /** Increases with every change. */
  readonly version: number | null;
};

/**
 * `ok` is null if the provider cannot be tested without a recipient. `provider` is `sandbox` in the environment `test`.
 */
export type ProviderTest = {
  readonly provider: NamedProvider | 'sandbox';
  readonly ok: boolean | null;
  readonly code: string | null;
  readonly message: string | null;
};

export type ProviderStates<C extends Channel> = { readonly [P in ProviderOf<C>]: ProviderState };

/**
 * Providers of one channel: APNs, FCM and Web Push for `push`, SMTP and mail APIs for `email`, Twilio and Telnyx for
 * `sms`.
 */
export type ProviderOf<C extends Channel> = (typeof PROVIDERS)[C][number];

/**
 * Rates count messages that were sent, that failed, and that failed and will be retried. A failure rate of 5 % is
 * `degraded`, of 50 % `failing`.
 */
export type DeliveryHealth = {
  readonly windowMinutes: number;
  readonly sent: number;
  /** Messages whose last attempt failed, whether final or to be retried. */
  readonly failed: number;
  /** The part of `failed` that will be retried. */
  readonly retrying: number;
  /** 0 to 1; 0 without attempts. */
  readonly failureRate: number;
  /**
   * Counts by `errorCode` of the messages, which often comes from the provider; `unknown` for messages without a code.
   */
  readonly byReason: Readonly<Record<string, number>>;
  readonly byPlatform: ByName<Platform>;
  readonly byProvider: ByName<Provider | 'sandbox'>;
  readonly tokensInvalidated: number;
  readonly oldestQueuedAgeSeconds: number;
  /**
   * Providers whose circuit is open: they refuse their credentials, or are unresponsive while a fallback exists. No
   * message is sent through them before `until`.
   */
  readonly openCircuits: readonly { readonly provider: NamedProvider; readonly until: Date; readonly code: string }[];
  readonly status: 'ok' | 'degraded' | 'failing';
};

/** Counts of finished messages, grouped by name. */
export type ByName<Name extends string> = Readonly<
  Partial<Record<Name, { readonly sent: number; readonly failed: number }>>
>;
