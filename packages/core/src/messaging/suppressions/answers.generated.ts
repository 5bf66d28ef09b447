// Made of the schemas in answers.ts by `npm run openapi`.

/** An address that a channel sends nothing to. */
export interface Suppression {
  /** Channel. */
  readonly channel: 'email' | 'sms';
  /** Email address in lower case, or phone number in E.164 format. */
  readonly address: string;
  /** Why the address is suppressed. */
  readonly reason: 'bounced_address' | 'complained_address' | 'sms_stopped' | 'unsubscribed' | 'manual';
  /** Sender whose SMS the recipient stopped; null if the suppression applies to every sender. */
  readonly sender: string | null;
  /** Origin: an API request, a report of a provider, or the recipient. */
  readonly source: 'api' | 'provider' | 'person';
  /** Message that caused the suppression; null if none did. */
  readonly messageId: string | null;
  /** When the address was suppressed. */
  readonly createdAt: Date;
}

/** Result of adding suppressions. */
export interface SuppressionsAdded {
  /** Addresses that were added. */
  readonly added: number;
  /** Addresses that were suppressed for this reason before. */
  readonly existing: number;
}

/** Result of removing suppressions. */
export interface SuppressionsRemoved {
  /** Suppressions that were removed. */
  readonly removed: number;
}

/** The types of this module's answers, by their names. */
export interface Answers {
  readonly Suppression: Suppression;
  readonly SuppressionsAdded: SuppressionsAdded;
  readonly SuppressionsRemoved: SuppressionsRemoved;
}
