// Made of the schemas in answers.ts by `npm run openapi`.

/** A Live Activity on one device. */
export interface LiveActivity {
  /** Id of the activity on this device. */
  readonly id: string;
  /** Organization of the activity. */
  readonly orgId: string;
  /** Project of the activity. */
  readonly projectId: string;
  /** Environment of the activity. */
  readonly environment: 'prod' | 'test';
  /** Your id of the activity, the same on every device. */
  readonly externalId: string;
  /** User of the device; null if unknown. */
  readonly userId: string | null;
  /** Name of the app's attributes type. */
  readonly activityType: string;
  /** Status; `stale`: active, but its `staleDate` has passed. */
  readonly status: 'active' | 'stale' | 'ended' | 'invalidated';
  /** When the activity started. */
  readonly startedAt: Date;
  /** When the activity was last updated. */
  readonly lastUpdatedAt: Date;
  /** When the activity ended; null while it runs. */
  readonly endedAt: Date | null;
  /** Accepted pushes for the activity. */
  readonly updates: number;
}

/** Result of an update or an end. */
export interface ActivityResult {
  /** Your id of the activity, the same on every device. */
  readonly externalId: string;
  /** Whether no device shows the activity yet; the newest push is stored for 12 hours. */
  readonly isPending: boolean;
  /** Send that delivers the push; null if no device can receive it yet. */
  readonly sendId: string | null;
  /** The activity on each device. */
  readonly activities: readonly LiveActivity[];
}

/** A stored Live Activity token. */
export interface ActivityTokenSaved {
  /** What the token is for: starting activities, or updating one. */
  readonly kind: 'push_to_start' | 'update';
  /** The activity of the token; null for `push_to_start`. */
  readonly activity: LiveActivity | null;
}

/** A Live Activity that starts. */
export interface ActivityStarted {
  /** Your id of the activity, the same on every device. */
  readonly externalId: string;
  /** Send that delivers the push; null if no device can receive it yet. */
  readonly sendId: string | null;
  /** Devices on which the activity starts. */
  readonly devices: number;
}

/** The types of this module's answers, by their names. */
export interface Answers {
  readonly LiveActivity: LiveActivity;
  readonly ActivityResult: ActivityResult;
  readonly ActivityTokenSaved: ActivityTokenSaved;
  readonly ActivityStarted: ActivityStarted;
}
