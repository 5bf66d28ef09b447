// Made of the schemas in answers.ts by `npm run openapi`.

/** Credentials of one provider, without the credentials themselves. */
export interface ProviderState {
  /** Name of the provider, such as `ses`. */
  readonly provider: string;
  /** Whether credentials are stored. */
  readonly configured: boolean;
  /** Last characters of an id that identifies the credentials; null if there are none. */
  readonly lastFour: string | null;
  /** When the provider last accepted a message with these credentials; null if it never did. */
  readonly verifiedAt: Date | null;
  /** When the credentials were last changed; null if there are none. */
  readonly updatedAt: Date | null;
  /** Increases with every change of the credentials; null if there are none. */
  readonly version: number | null;
}

/** Result of a test of the credentials of one provider. */
export interface ProviderTest {
  /** Name of the provider; `sandbox` in the environment `test`. */
  readonly provider: string;
  /** Whether the provider accepts the credentials; null if it cannot be asked without a recipient. */
  readonly ok: boolean | null;
  /** Error code of the failed test; null if it passed. */
  readonly code: string | null;
  /** What failed, in one sentence; null if the test passed. */
  readonly message: string | null;
}

/** How messages of one channel were delivered recently. */
export interface DeliveryHealth {
  /** Length of the period that the figures cover, in minutes. */
  readonly windowMinutes: number;
  /** Messages that a provider accepted. */
  readonly sent: number;
  /** Messages whose last attempt failed, including those that are retried. */
  readonly failed: number;
  /** Failed messages that are retried. */
  readonly retrying: number;
  /** Share of attempted messages that failed, 0 to 1; 0 if none was attempted. */
  readonly failureRate: number;
  /** Failed messages by `errorCode`; `unknown` counts those without a code. */
  readonly byReason: Readonly<Record<string, number>>;
  /** Push messages by device platform. */
  readonly byPlatform: Readonly<Partial<Record<'ios' | 'android' | 'web', {
    /** Messages that a provider accepted. */
    readonly sent: number;
    /** Messages whose last attempt failed. */
    readonly failed: number;
  }>>>;
  /** Messages by provider. */
  readonly byProvider: Readonly<Partial<Record<'apns' | 'fcm' | 'webpush' | 'smtp' | 'ses' | 'sendgrid' | 'postmark' | 'mailgun' | 'resend' | 'twilio' | 'telnyx' | 'sandbox', {
    /** Messages that a provider accepted. */
    readonly sent: number;
    /** Messages whose last attempt failed. */
    readonly failed: number;
  }>>>;
  /** Device tokens that a provider reported as invalid. */
  readonly tokensInvalidated: number;
  /** Age of the oldest due message, in seconds; 0 if none is due. */
  readonly oldestQueuedAgeSeconds: number;
  /** Providers that receive no messages, because they refuse their credentials or do not respond. */
  readonly openCircuits: readonly {
    /** Name of the provider. */
    readonly provider: string;
    /** When the next message is tried. */
    readonly until: Date;
    /** Error code that opened the circuit. */
    readonly code: string;
  }[];
  /** `degraded` from a failure rate of 5 %, `failing` from 50 %. */
  readonly status: 'ok' | 'degraded' | 'failing';
}

/** The types of this module's answers, by their names. */
export interface Answers {
  readonly ProviderState: ProviderState;
  readonly ProviderTest: ProviderTest;
  readonly DeliveryHealth: DeliveryHealth;
}
