// Made of the schemas in answers.ts by `npm run openapi`.

/** What a browser needs to subscribe to Web Push. */
export interface WebConfig {
  /** Public VAPID key, which a browser needs to subscribe. */
  readonly vapidPublicKey: string;
}

/** The types of this module's answers, by their names. */
export interface Answers {
  readonly WebConfig: WebConfig;
}
