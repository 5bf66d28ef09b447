import type { z } from 'zod';
import type { Frozen } from '../../../foundation/frozen.ts';
import type { Page, PageQuery } from '../../../foundation/page.ts';
import type { Environment, Scope } from '../../../foundation/scope.ts';
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

/** One activity on one device. `stale`: active, and its `staleDate` is past. */
export type LiveActivity = {
  readonly id: string;
  readonly orgId: string;
  readonly projectId: string;
  readonly environment: Environment;
  readonly externalId: string;
  readonly userId: string | null;
  readonly activityType: string;
  readonly status: ActivityStatus;
  readonly startedAt: Date;
  readonly lastUpdatedAt: Date;
  readonly endedAt: Date | null;
  /** Pushes that were accepted for it. */
  readonly updates: number;
};

/** What became of an update or an end. */
export type ActivityTold = {
  readonly externalId: string;
  /** No device shows it yet: the newest push is kept for 12 hours, and goes out with the first token. */
  readonly isPending: boolean;
  /** The send of channel push that carries it; null where it waits. */
  readonly sendId: string | null;
  /** On every device. */
  readonly activities: readonly LiveActivity[];
};

export type LiveActivityQuery = PageQuery & {
  readonly userId?: string | undefined;
  readonly activityType?: string | undefined;
  readonly status?: ActivityStatus | undefined;
};

/** Live activities of iOS. All but `registerToken` and `list` throw PROVIDER_NOT_CONFIGURED without APNs. */
export type LiveActivitiesApi = {
  /** A device tells the token of an activity, or one that starts activities. Throws VALIDATION_ERROR. */
  registerToken(
    scope: Scope,
    body: ActivityTokenInput,
  ): Promise<{ readonly kind: 'push_to_start' | 'update'; readonly activity: LiveActivity | null }>;
  /** Starts an activity on the devices of users that have told a token for it. Throws VALIDATION_ERROR, OVERLOADED. */
  start(
    scope: Scope,
    body: ActivityStartInput,
  ): Promise<{ readonly externalId: string; readonly sendId: string | null; readonly devices: number }>;
  /** On all its devices; timestamps grow, so that none shows an older state. Throws VALIDATION_ERROR, OVERLOADED. */
  update(scope: Scope, externalId: string, body: ActivityUpdateInput): Promise<ActivityTold>;
  /** As `update`, and it is over. */
  end(scope: Scope, externalId: string, body?: ActivityEndInput): Promise<ActivityTold>;
  /** Newest first. */
  list(scope: Scope, query?: LiveActivityQuery): Promise<Page<LiveActivity>>;
};
