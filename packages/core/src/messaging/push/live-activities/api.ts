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

/** The token of a live activity on a device, with `externalId`, or (`push_to_start`) one that starts such activities. */
export interface ActivityTokenInput extends Frozen<z.input<typeof activityTokenBody>> {}

/** A live activity that begins on the devices of users. */
export interface ActivityStartInput extends Frozen<z.input<typeof activityStartBody>> {}

/** The state that a live activity shows next. */
export interface ActivityUpdateInput extends Frozen<z.input<typeof activityUpdateBody>> {}

/** The state that a live activity shows last, and when it goes. */
export interface ActivityEndInput extends Frozen<z.input<typeof activityEndBody>> {}

export type LiveActivityQuery = PageQuery & {
  readonly userId?: string | undefined;
  readonly activityType?: string | undefined;
  readonly status?: ActivityStatus | undefined;
};

/** Live activities of iOS. All but `registerToken` and `list` throw PROVIDER_NOT_CONFIGURED without APNs. */
export type LiveActivitiesApi = {
  /** A device tells the token of an activity, or one that starts activities. Throws VALIDATION_ERROR. */
  registerToken(scope: Scope, body: ActivityTokenInput): Promise<ActivityTokenSaved>;
  /** Starts an activity on the devices of users that have told a token for it. Throws VALIDATION_ERROR, OVERLOADED. */
  start(scope: Scope, body: ActivityStartInput): Promise<ActivityStarted>;
  /** On all its devices; timestamps grow, so that none shows an older state. Throws VALIDATION_ERROR, OVERLOADED. */
  update(scope: Scope, externalId: string, body: ActivityUpdateInput): Promise<ActivityResult>;
  /** As `update`, and it is over. */
  end(scope: Scope, externalId: string, body?: ActivityEndInput): Promise<ActivityResult>;
  /** Newest first. */
  list(scope: Scope, query?: LiveActivityQuery): Promise<Page<LiveActivity>>;
};
