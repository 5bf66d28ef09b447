import { ACTIVITY_STATUSES, type ActivityTold, type LiveActivity } from '@beckon/core';
import { z } from 'zod';
import { answerOf, id, moment, owner, word } from './wire.ts';

const activity = answerOf<LiveActivity>()(
  z.object({
    id,
    ...owner,
    externalId: z.string(),
    userId: z.string().nullable(),
    activityType: z.string(),
    status: word(ACTIVITY_STATUSES),
    startedAt: moment,
    lastUpdatedAt: moment,
    endedAt: moment.nullable(),
    updates: z.int(),
  }),
);

/** Schemas of this file, by the names that the document gives them. */
export const liveActivityAnswers = {
  LiveActivity: activity,
  ActivityTold: answerOf<ActivityTold>()(
    z.object({
      externalId: z.string(),
      isPending: z.boolean(),
      sendId: id.nullable(),
      activities: z.array(activity),
    }),
  ),
  ActivityTokenSaved: z.object({ kind: z.enum(['push_to_start', 'update']), activity: activity.nullable() }),
  ActivityStarted: z.object({ externalId: z.string(), sendId: id.nullable(), devices: z.int() }),
} as const;
