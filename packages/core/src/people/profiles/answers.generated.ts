// Made of the schemas in answers.ts by `npm run openapi`.

/** Id and name of an audience. */
export interface AudienceSummary {
  /** Id of the audience. */
  readonly id: string;
  /** Name of the audience. */
  readonly name: string;
}

/** A device that can receive pushes. */
export interface PushToken {
  /** Id of the device. */
  readonly id: string;
  /** Organization of the device. */
  readonly orgId: string;
  /** Project of the device. */
  readonly projectId: string;
  /** Environment of the device. */
  readonly environment: 'prod' | 'test';
  /** User of the device; null if unknown. */
  readonly userId: string | null;
  /** Anonymous id of the visitor; null if there is none. */
  readonly anonymousId: string | null;
  /** Platform of the device. */
  readonly platform: 'ios' | 'android' | 'web';
  /** Device token; of a browser the JSON of its push subscription. */
  readonly token: string;
  /** Locale of the device (BCP 47); null if unknown. */
  readonly locale: string | null;
  /** IANA time zone of the device; null if unknown. */
  readonly timezone: string | null;
  /** Version of the app; null if unknown. */
  readonly appVersion: string | null;
  /** APNs host of the token; null if unknown or not iOS. */
  readonly apnsEnvironment: 'production' | 'sandbox' | null;
  /** Whether the device receives pushes. */
  readonly isActive: boolean;
  /** When the device registered first. */
  readonly createdAt: Date;
  /** When the device registered last. */
  readonly updatedAt: Date;
}

/** What Beckon stores about one user. */
export interface Profile {
  /** Id of the user; null for an anonymous visitor. */
  readonly userId: string | null;
  /** Anonymous id of the visitor; null if there is none. */
  readonly anonymousId: string | null;
  /** Traits by name. */
  readonly traits: Readonly<Record<string, unknown>>;
  /** Email address that overrides the trait `email`; null if not set. */
  readonly email: string | null;
  /** Phone number (E.164) that overrides the trait `phone`; null if not set. */
  readonly phone: string | null;
  /** Locale (BCP 47); null if unknown. */
  readonly locale: string | null;
  /** IANA time zone; null if unknown. */
  readonly timezone: string | null;
  /** When the profile was created. */
  readonly createdAt: Date;
  /** When the user was last active. */
  readonly lastSeenAt: Date;
  /** Present if traits were cut because they were too large. */
  readonly _truncated?: true | undefined;
  /** The newest 100 devices, inactive ones included; only for a single profile. */
  readonly tokens?: readonly PushToken[] | undefined;
  /** Audiences of the user, newest first; only for a single profile. */
  readonly audiences?: readonly AudienceSummary[] | undefined;
}

/** The types of this module's answers, by their names. */
export interface Answers {
  readonly AudienceSummary: AudienceSummary;
  readonly PushToken: PushToken;
  readonly Profile: Profile;
}
