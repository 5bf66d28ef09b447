// Pushes to devices that show, or may start, an activity. Each is an ordinary send of channel push: leased, retried,
// held and recorded like one. Timestamps increase in the transaction that accepts it.

import { commitPlanned } from '../../../database/commit/commit-planned.ts';
import { type Write, write } from '../../../database/commit/write-set.ts';
import type { Storage } from '../../../database/storage.ts';
import { overloaded, providerNotConfigured } from '../../../foundation/errors.ts';
import { type Scope, scopeKey, scopeOf } from '../../../foundation/scope.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { PlanSend } from '../../sends/accept/accept.ts';
import type { LookUpSends } from '../../sends/accept/send-lookup.ts';
import type { Send } from '../../sends/answers.generated.ts';
import type { Finalize } from '../../sends/finalize/finalize.ts';
import { viewOfNewSend } from '../../sends/read/view.ts';
import type { SendRequest } from '../../sends/schema.ts';
import { type ActivityContent, type StoredPush, seconds } from './content.ts';
import type { LiveActivityStatements } from './statements.ts';
import type { LiveActivityRow, StarterRow } from './tables.ts';

/** Dependencies of activity pushes. */
export type ActivityPushContext = Pick<Platform<unknown>, 'clock' | 'ids'> & {
  readonly storage: Pick<Storage, 'commit' | 'select'>;
  readonly hot: LiveActivityStatements;
  readonly lookUpSends: LookUpSends;
  readonly planSend: PlanSend;
  readonly react: Finalize['react'];
};

/** Recipient of an activity push. */
type Target = Pick<LiveActivityRow, 'id' | 'token' | 'apnsEnvironment'>;

const requestOf = (
  externalId: string,
  liveActivity: ActivityContent['liveActivity'],
  targets: readonly Target[],
): SendRequest => {
  const environments = targets.flatMap(({ token, apnsEnvironment }) =>
    apnsEnvironment === null ? [] : [[token, apnsEnvironment] as const],
  );
  const content: ActivityContent = {
    liveActivity,
    rowIds: Object.fromEntries(targets.map(({ token, id }) => [token, id])),
    environments: Object.fromEntries(environments),
  };
  return {
    channel: 'push',
    source: 'api',
    // Updates of something that the user follows are neither capped nor deferred by quiet hours.
    class: 'transactional',
    title: `Live activity ${externalId}: ${liveActivity.event}`,
    content,
    variables: {},
    recipients: targets.map(({ token }) => ({ kind: 'address', address: token, name: null })),
  };
};

export const activityPushes = ({ storage, hot, clock, ids, lookUpSends, planSend, react }: ActivityPushContext) => {
  /** Throws PROVIDER_NOT_CONFIGURED if the project has no APNs. */
  const requireApns = async (scope: Scope): Promise<void> => {
    const lookup = await lookUpSends([{ scope, channel: 'push', recipients: [] }]);
    const missing = lookup.missing(scope, 'push', ['ios']);
    if (missing) throw providerNotConfigured(missing);
  };

  const send = async <Row extends Target>(
    scope: Scope,
    externalId: string,
    read: () => Promise<readonly Row[]>,
    make: (
      rows: readonly Row[],
      now: Date,
    ) => { readonly push: ActivityContent['liveActivity']; readonly writes: readonly Write[] },
  ): Promise<Send | null> => {
    const { ok, plan } = await commitPlanned(storage, [externalId], {
      plan: async () => {
        const rows = await read();
        if (rows.length === 0) return { answer: null, writes: [] };
        const now = clock.now();
        const { push, writes } = make(rows, now);
        const request = requestOf(externalId, push, rows);
        const lookup = await lookUpSends([{ scope, channel: 'push', recipients: [] }]);
        const planned = planSend(scope, request, { profiles: new Map(), lookup }, now, ids);
        const reacted = await react(planned.changes, now);
        return {
          answer: viewOfNewSend(scope, planned.row, planned.messages),
          writes: [...planned.writes, ...writes, ...reacted.writes],
          wakes: [...planned.wakes, ...reacted.wakes],
          hooks: reacted.hooks,
        };
      },
    });
    if (!ok || !plan) throw overloaded(1);
    return plan.answer;
  };

  return {
    requireApns,
    /** Pushes to every device that shows the activity; null: none yet. Throws OVERLOADED. */
    toActivity: (scope: Scope, externalId: string, push: StoredPush, only?: string): Promise<Send | null> =>
      send(
        scope,
        externalId,
        async () =>
          (await storage.select(hot.named, [[scopeKey(scope), externalId]])).filter(
            ({ status, id }) => status === 'active' && (only === undefined || id === only),
          ),
        (rows, now) => {
          const timestamp = Math.max(seconds(now), ...rows.map(({ lastTimestamp }) => lastTimestamp + 1));
          const isEnd = push.event === 'end';
          return {
            push: { ...push, timestamp },
            writes: rows.map(({ id, token, lastTimestamp, staleAt }) =>
              write(
                hot.push,
                {
                  ...scopeOf(scope),
                  id,
                  token,
                  lastTimestamp,
                  newLastTimestamp: timestamp,
                  lastUpdatedAt: now,
                  status: isEnd ? 'ended' : 'active',
                  endedAt: isEnd ? now : null,
                  staleAt: isEnd ? staleAt : push.staleDate === null ? null : new Date(push.staleDate * 1_000),
                },
                `activity:${id}`,
              ),
            ),
          };
        },
      ),
    /** Pushes to devices that may start it; null: none. Throws OVERLOADED. */
    toStarters: (
      scope: Scope,
      externalId: string,
      push: StoredPush,
      starters: readonly StarterRow[],
    ): Promise<Send | null> =>
      send(
        scope,
        externalId,
        async () => starters,
        (_, now) => ({
          push: { ...push, timestamp: seconds(now) },
          writes: [write(hot.started, { ...scopeOf(scope), externalId, startedAt: now })],
        }),
      ),
  };
};
