// Made of the schemas in answers.ts by `npm run openapi`.

/** A user's choices for one channel. */
export interface ChannelSubscription {
  /** False: the user receives no marketing messages on this channel. */
  readonly subscribed: boolean;
  /** Choices by category; the user receives categories that are not listed. */
  readonly categories: Readonly<Record<string, boolean>>;
}

/** A user's choices for each channel. */
export interface Subscriptions {
  /** Id of the user. */
  readonly userId: string;
  /** Choices for push. */
  readonly push: ChannelSubscription;
  /** Choices for email. */
  readonly email: ChannelSubscription;
  /** Choices for SMS. */
  readonly sms: ChannelSubscription;
}

/** The types of this module's answers, by their names. */
export interface Answers {
  readonly ChannelSubscription: ChannelSubscription;
  readonly Subscriptions: Subscriptions;
}
