import { z } from 'zod';
import { answersOf } from '../../foundation/answers.ts';
import { PLATFORMS } from '../../foundation/device-platform.ts';
import type { Answers } from './answers.generated.ts';
import { PROVIDERS } from './names.ts';

/** Messages that ended, by a name that they share. */
export const sentAndFailed = () =>
  z.object({
    sent: z.int().describe('Messages that a provider accepted.'),
    failed: z.int().describe('Messages whose last attempt failed.'),
  });

/** Schemas of the answers about providers. */
export const providerAnswers = answersOf<Answers>()(() => ({
  ProviderState: z
    .object({
      provider: z.string().describe('Name of the provider, such as `ses`.'),
      configured: z.boolean().describe('Whether credentials are stored.'),
      lastFour: z
        .string()
        .nullable()
        .describe('Last characters of an id that identifies the credentials; null if there are none.'),
      verifiedAt: z
        .date()
        .nullable()
        .describe('When the provider last accepted a message with these credentials; null if it never did.'),
      updatedAt: z.date().nullable().describe('When the credentials were last changed; null if there are none.'),
      version: z.int().nullable().describe('Increases with every change of the credentials; null if there are none.'),
    })
    .describe('Credentials of one provider, without the credentials themselves.'),
  ProviderTest: z
    .object({
      provider: z.string().describe('Name of the provider; `sandbox` in the environment `test`.'),
      ok: z
        .boolean()
        .nullable()
        .describe('Whether the provider accepts the credentials; null if it cannot be asked without a recipient.'),
      code: z.string().nullable().describe('Error code of the failed test; null if it passed.'),
      message: z.string().nullable().describe('What failed, in one sentence; null if the test passed.'),
    })
    .describe('Result of a test of the credentials of one provider.'),
  DeliveryHealth: z
    .object({
      windowMinutes: z.int().describe('Length of the period that the figures cover, in minutes.'),
      sent: z.int().describe('Messages that a provider accepted.'),
      failed: z.int().describe('Messages whose last attempt failed, including those that are retried.'),
      retrying: z.int().describe('Failed messages that are retried.'),
      failureRate: z.number().describe('Share of attempted messages that failed, 0 to 1; 0 if none was attempted.'),
      byReason: z
        .record(z.string(), z.int())
        .describe('Failed messages by `errorCode`; `unknown` counts those without a code.'),
      byPlatform: z.partialRecord(z.enum(PLATFORMS), sentAndFailed()).describe('Push messages by device platform.'),
      byProvider: z
        .partialRecord(z.enum([...PROVIDERS.push, ...PROVIDERS.email, ...PROVIDERS.sms, 'sandbox']), sentAndFailed())
        .describe('Messages by provider.'),
      tokensInvalidated: z.int().describe('Device tokens that a provider reported as invalid.'),
      oldestQueuedAgeSeconds: z.number().describe('Age of the oldest due message, in seconds; 0 if none is due.'),
      openCircuits: z
        .array(
          z.object({
            provider: z.string().describe('Name of the provider.'),
            until: z.date().describe('When the next message is tried.'),
            code: z.string().describe('Error code that opened the circuit.'),
          }),
        )
        .describe('Providers that receive no messages, because they refuse their credentials or do not respond.'),
      status: z
        .enum(['ok', 'degraded', 'failing'])
        .describe('`degraded` from a failure rate of 5 %, `failing` from 50 %.'),
    })
    .describe('How messages of one channel were delivered recently.'),
}));
