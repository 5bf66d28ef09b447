import type { z } from 'zod';
import type { Frozen } from '../../../foundation/frozen.ts';
import type { Page, PageQuery } from '../../../foundation/page.ts';
import type { Scope } from '../../../foundation/scope.ts';
import type { ActivityResult, ActivityStarted, ActivityTokenSaved, LiveActivity } from './answers.generated.ts';
import type {
  ActivityStatus,
  activityEndBody,
  activityStartBody,
  activityTokenBody,
  activityUpdateBody,
} from './schema.ts';

/** The token of a Live Activity on a device, with `externalId`, or (`push_to_start`) a token that starts activities. */
export interface ActivityTokenInput extends Frozen<z.input<typeof activityTokenBody>> {}

/** Starts a Live Activity on the devices of users. */
export interface ActivityStartInput extends Frozen<z.input<typeof activityStartBody>> {}

/** The next state of a Live Activity. */
export interface ActivityUpdateInput extends Frozen<z.input<typeof activityUpdateBody>> {}

/** The last state of a Live Activity, and when it disappears. */
export interface ActivityEndInput extends Frozen<z.input<typeof activityEndBody>> {}

export type LiveActivityQuery = PageQuery & {
  readonly userId?: string | undefined;
  readonly activityType?: string | undefined;
  readonly status?: ActivityStatus | undefined;
};

/** Live Activities of iOS. All methods except `registerToken` and `list` throw PROVIDER_NOT_CONFIGURED without APNs. */
export type LiveActivitiesApi = {
  /** Registers a device's token of an activity, or one that starts activities. Throws VALIDATION_ERROR. */
  registerToken(scope: Scope, body: ActivityTokenInput): Promise<ActivityTokenSaved>;
  /**
   * Starts an activity on the devices of users that registered a start token for its type. Throws VALIDATION_ERROR,
   * OVERLOADED.
   */
  start(scope: Scope, body: ActivityStartInput): Promise<ActivityStarted>;
  /**
   * Updates the activity on all its devices. Timestamps increase, so no device shows an older state. Throws
   * VALIDATION_ERROR, OVERLOADED.
   */
  update(scope: Scope, externalId: string, body: ActivityUpdateInput): Promise<ActivityResult>;
  /** As `update`, and ends the activity. */
  end(scope: Scope, externalId: string, body?: ActivityEndInput): Promise<ActivityResult>;
  /** Newest first. */
  list(scope: Scope, query?: LiveActivityQuery): Promise<Page<LiveActivity>>;
};
