import { z } from 'zod';
import { answersOf } from '../../foundation/answers.ts';
import type { Answers } from './answers.generated.ts';

/** Answer schemas of delivery webhooks. */
export const callbackAnswers = answersOf<Answers>()(() => ({
  CallbackCounts: z
    .object({
      events: z.int().describe('Events in the request of the provider.'),
      applied: z.int().describe('Events that changed a message.'),
      duplicates: z.int().describe('Events that were applied before.'),
      unknown: z.int().describe('Events whose message does not exist.'),
    })
    .describe('What a delivery webhook of a provider contained.'),
  CallbackState: z
    .object({
      configured: z.boolean().describe('Whether the secret that verifies the delivery webhooks is stored.'),
      updatedAt: z.date().nullable().describe('When the secret was last changed; null if there is none.'),
      url: z.string().nullable().describe('URL for the provider to post to; null if the service has no public URL.'),
    })
    .describe('Delivery webhooks of one provider.'),
}));
