import { z } from 'zod';
import { answersOf, scopeFields } from '../../../foundation/answers.ts';
import type { Answers } from './answers.generated.ts';
import { ACTIVITY_STATUSES } from './schema.ts';

/** Answer schemas of Live Activities. */
export const liveActivityAnswers = answersOf<Answers>()(() => {
  const externalId = z.string().describe('Your id of the activity, the same on every device.');
  const sendId = z.uuid().nullable().describe('Send that delivers the push; null if no device can receive it yet.');
  const LiveActivity = z
    .object({
      id: z.uuid().describe('Id of the activity on this device.'),
      ...scopeFields('activity'),
      externalId,
      userId: z.string().nullable().describe('User of the device; null if unknown.'),
      activityType: z.string().describe("Name of the app's attributes type."),
      status: z.enum(ACTIVITY_STATUSES).describe('Status; `stale`: active, but its `staleDate` has passed.'),
      startedAt: z.date().describe('When the activity started.'),
      lastUpdatedAt: z.date().describe('When the activity was last updated.'),
      endedAt: z.date().nullable().describe('When the activity ended; null while it runs.'),
      updates: z.int().describe('Accepted pushes for the activity.'),
    })
    .describe('A Live Activity on one device.');
  return {
    LiveActivity,
    ActivityResult: z
      .object({
        externalId,
        isPending: z
          .boolean()
          .describe('Whether no device shows the activity yet; the newest push is stored for 12 hours.'),
        sendId,
        activities: z.array(LiveActivity).describe('The activity on each device.'),
      })
      .describe('Result of an update or an end.'),
    ActivityTokenSaved: z
      .object({
        kind: z
          .enum(['push_to_start', 'update'])
          .describe('What the token is for: starting activities, or updating one.'),
        activity: LiveActivity.nullable().describe('The activity of the token; null for `push_to_start`.'),
      })
      .describe('A stored Live Activity token.'),
    ActivityStarted: z
      .object({
        externalId,
        sendId,
        devices: z.int().describe('Devices on which the activity starts.'),
      })
      .describe('A Live Activity that starts.'),
  };
});
