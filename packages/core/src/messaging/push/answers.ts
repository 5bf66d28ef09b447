import { z } from 'zod';
import { answersOf } from '../../foundation/answers.ts';
import type { Answers } from './answers.generated.ts';

/** Answer schemas of Web Push. */
export const pushAnswers = answersOf<Answers>()(() => ({
  WebConfig: z
    .object({ vapidPublicKey: z.string().describe('Public VAPID key, which a browser needs to subscribe.') })
    .describe('What a browser needs to subscribe to Web Push.'),
}));
