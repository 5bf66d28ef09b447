import { pageLimit } from '../../../foundation/page.ts';
import type { CountPlaceholders } from '../../../foundation/placeholder-user-id.ts';
import type { Emitter } from '../../../people/events/emit.ts';
import { gated } from '../../../platform/plans/gated.ts';
import type { RequirePlan } from '../../../platform/plans/plans.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { SendAudiences } from '../../sends/audience.ts';
import { bindMessageReaction } from '../../sends/finalize/reactions.ts';
import type { Sending } from '../../sends/sending.ts';
import { liveActivitiesEngine } from './live-activities.ts';
import { liveActivityAnswers } from './reaction.ts';
import { parseActivityEnd, parseActivityStart, parseActivityToken, parseActivityUpdate } from './schema.ts';
import { liveActivityStatements } from './statements.ts';
import type { LiveActivityTables } from './tables.ts';

export type LiveActivitiesPlatform = Platform<LiveActivityTables>;

/** The reaction to provider answers for activity pushes. Built before sending, from the platform and events. */
export const liveActivityContributions = (
  { storage, tables }: LiveActivitiesPlatform,
  { emitter }: { readonly emitter: Emitter },
) => ({
  name: 'answers of live activities',
  messageReactions: [
    bindMessageReaction(liveActivityAnswers({ storage, hot: liveActivityStatements(tables), emitter })),
  ],
});

type Needs = {
  readonly emitter: Emitter;
  readonly audiences: SendAudiences;
  readonly sends: Pick<Sending, 'lookUpSends' | 'plan' | 'react'>;
  readonly countPlaceholders: CountPlaceholders;
  readonly requirePlan: RequirePlan;
};

/** Live Activities of iOS. Built after sending, which carries their pushes. */
export const liveActivitiesModule = ({ storage, tables, clock, ids }: LiveActivitiesPlatform, needs: Needs) => {
  const { emitter, audiences, sends, countPlaceholders, requirePlan } = needs;
  const { lookUpSends, plan: planSend, react } = sends;
  const { api, sweep, eraser } = liveActivitiesEngine({
    ...{ storage, tables, clock, ids, emitter, audiences },
    ...{ lookUpSends, planSend, react, countPlaceholders, requirePlan },
  });
  return {
    name: 'live activities',
    api: gated(requirePlan, 'liveActivities', api, {
      registerToken: ({ environment }, body) => parseActivityToken(body, environment),
      start: (_, body) => parseActivityStart(body),
      update: (_, _id, body) => parseActivityUpdate(body),
      end: (_, _id, body) => parseActivityEnd(body),
      list: (_, query) => pageLimit(query?.limit),
    }),
    erasers: [eraser],
    maintenance: [{ name: 'live activities', run: sweep }],
  };
};
