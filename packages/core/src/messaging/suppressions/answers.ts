import { z } from 'zod';
import { answersOf } from '../../foundation/answers.ts';
import { LIST_REASONS } from '../sends/listed.ts';
import type { Answers } from './answers.generated.ts';
import { LIST_CHANNELS, LIST_SOURCES } from './schema.ts';

/** Answer schemas of suppressions. */
export const suppressionAnswers = answersOf<Answers>()(() => ({
  Suppression: z
    .object({
      channel: z.enum(LIST_CHANNELS).describe('Channel.'),
      address: z.string().describe('Email address in lower case, or phone number in E.164 format.'),
      reason: z.enum(LIST_REASONS).describe('Why the address is suppressed.'),
      sender: z
        .string()
        .nullable()
        .describe('Sender whose SMS the recipient stopped; null if the suppression applies to every sender.'),
      source: z.enum(LIST_SOURCES).describe('Origin: an API request, a report of a provider, or the recipient.'),
      messageId: z.uuid().nullable().describe('Message that caused the suppression; null if none did.'),
      createdAt: z.date().describe('When the address was suppressed.'),
    })
    .describe('An address that a channel sends nothing to.'),
  SuppressionsAdded: z
    .object({
      added: z.int().describe('Addresses that were added.'),
      existing: z.int().describe('Addresses that were suppressed for this reason before.'),
    })
    .describe('Result of adding suppressions.'),
  SuppressionsRemoved: z
    .object({ removed: z.int().describe('Suppressions that were removed.') })
    .describe('Result of removing suppressions.'),
}));
