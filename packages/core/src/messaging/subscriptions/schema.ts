import { z } from 'zod';
import { CHANNELS, type Channel } from '../../foundation/channel.ts';

/** Categories of one call and channel; ours. */
const MAX_CATEGORIES = 100;

const name = z
  .string()
  .min(1)
  .max(128)
  .refine((text) => !/[\p{Cc}\u2028\u2029]/u.test(text), 'must be one line without control characters')
  .transform((text) => text.toWellFormed());

const ofChannel = z.strictObject({
  /** All marketing of the channel; null: as somebody who never chose. */
  subscribed: z.boolean().nullable().optional(),
  categories: z
    .record(name, z.boolean().nullable())
    .refine((given) => Object.keys(given).length <= MAX_CATEGORIES, `must have at most ${MAX_CATEGORIES} categories`)
    .optional(),
});

/** Body of `PUT /profiles/:userId/subscriptions`: what is left out stays. */
export const subscriptionsBody = z.strictObject({
  push: ofChannel.optional(),
  email: ofChannel.optional(),
  sms: ofChannel.optional(),
} satisfies Record<Channel, z.ZodType>);

/** One person's choice of one category; null: forgotten. */
export type Choice = { readonly channel: Channel; readonly category: string; readonly isSubscribed: boolean | null };

/** The choices that a body makes. Pure. */
export const choicesIn = (body: z.output<typeof subscriptionsBody>, every: string): Choice[] =>
  CHANNELS.flatMap((channel) => {
    const { subscribed, categories = {} } = body[channel] ?? {};
    return [
      ...(subscribed === undefined ? [] : [{ channel, category: every, isSubscribed: subscribed }]),
      ...Object.entries(categories).map(([category, isSubscribed]) => ({ channel, category, isSubscribed })),
    ];
  });
