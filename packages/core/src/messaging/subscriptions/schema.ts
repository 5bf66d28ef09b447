import { z } from 'zod';
import { CHANNELS, type Channel } from '../../foundation/channel.ts';

/** Maximum categories per call and channel. Chosen: more than a page can show. */
const MAX_CATEGORIES = 100;

const name = z
  .string()
  .min(1)
  .max(128)
  .refine((text) => !/[\p{Cc}\u2028\u2029]/u.test(text), 'must be one line without control characters')
  .transform((text) => text.toWellFormed());

const ofChannel = z.strictObject({
  /** All marketing of the channel; null: no choice. */
  subscribed: z
    .boolean()
    .nullable()
    .optional()
    .describe(
      'Whether the user gets marketing messages on this channel. Null clears the choice; omit it to keep the choice.',
    ),
  categories: z
    .record(name, z.boolean().nullable())
    .refine(
      (categories) => Object.keys(categories).length <= MAX_CATEGORIES,
      `must have at most ${MAX_CATEGORIES} categories`,
    )
    .optional()
    .describe(
      'Choices by category name. Null clears the choice of a category; categories that you omit keep theirs. At most 100.',
    ),
});

/** Body of `PUT /profiles/:userId/subscriptions`: omitted choices stay. */
export const subscriptionsBody = z.strictObject({
  push: ofChannel.optional().describe('Choices for push. Omit it to keep them.'),
  email: ofChannel.optional().describe('Choices for email. Omit it to keep them.'),
  sms: ofChannel.optional().describe('Choices for SMS. Omit it to keep them.'),
} satisfies Record<Channel, z.ZodType>);

/** A user's choice of one category; null: removed. */
export type Choice = { readonly channel: Channel; readonly category: string; readonly isSubscribed: boolean | null };

/** The choices in a body. Pure. */
export const choicesIn = (body: z.output<typeof subscriptionsBody>, every: string): Choice[] =>
  CHANNELS.flatMap((channel) => {
    const { subscribed, categories = {} } = body[channel] ?? {};
    return [
      ...(subscribed === undefined ? [] : [{ channel, category: every, isSubscribed: subscribed }]),
      ...Object.entries(categories).map(([category, isSubscribed]) => ({ channel, category, isSubscribed })),
    ];
  });
