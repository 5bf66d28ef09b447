import { z } from 'zod';
import { answersOf } from '../../foundation/answers.ts';
import type { Answers } from './answers.generated.ts';

/** Answer schemas of subscriptions. */
export const subscriptionAnswers = answersOf<Answers>()(() => {
  const ChannelSubscription = z
    .object({
      subscribed: z.boolean().describe('False: the user receives no marketing messages on this channel.'),
      categories: z
        .record(z.string(), z.boolean())
        .describe('Choices by category; the user receives categories that are not listed.'),
    })
    .describe("A user's choices for one channel.");
  const of = (channel: string) => ChannelSubscription.describe(`Choices for ${channel}.`);
  return {
    ChannelSubscription,
    Subscriptions: z
      .object({
        userId: z.string().describe('Id of the user.'),
        push: of('push'),
        email: of('email'),
        sms: of('SMS'),
      })
      .describe("A user's choices for each channel."),
  };
});
