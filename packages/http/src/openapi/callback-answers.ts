import type { CallbackAnswer, CallbackState } from '@beckon/core';
import { z } from 'zod';
import { answerOf, moment } from './wire.ts';

const state = answerOf<CallbackState>()(
  z.object({ configured: z.boolean(), updatedAt: moment.nullable(), url: z.string().nullable() }),
);

/** Of the providers of mail. */
export const callbackStates = z.object({ ses: state, sendgrid: state, postmark: state, mailgun: state, resend: state });

/** What callbacks are answered. */
export const callbackAnswers = {
  CallbackCounts: answerOf<Omit<CallbackAnswer, 'reply' | 'isAccepted'>>()(
    z.object({ events: z.int(), applied: z.int(), duplicates: z.int(), unknown: z.int() }),
  ),
};
