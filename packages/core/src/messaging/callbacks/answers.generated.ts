// Made of the schemas in answers.ts by `npm run openapi`.

/** What a delivery webhook of a provider contained. */
export interface CallbackCounts {
  /** Events in the request of the provider. */
  readonly events: number;
  /** Events that changed a message. */
  readonly applied: number;
  /** Events that were applied before. */
  readonly duplicates: number;
  /** Events whose message does not exist. */
  readonly unknown: number;
}

/** Delivery webhooks of one provider. */
export interface CallbackState {
  /** Whether the secret that verifies the delivery webhooks is stored. */
  readonly configured: boolean;
  /** When the secret was last changed; null if there is none. */
  readonly updatedAt: Date | null;
  /** URL for the provider to post to; null if the service has no public URL. */
  readonly url: string | null;
}

/** The types of this module's answers, by their names. */
export interface Answers {
  readonly CallbackCounts: CallbackCounts;
  readonly CallbackState: CallbackState;
}
