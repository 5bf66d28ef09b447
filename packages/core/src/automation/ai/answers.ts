import { z } from 'zod';
import { AI_WIRES } from '../../delivery/transports/ai/port.ts';
import { answersOf } from '../../foundation/answers.ts';
import type { Answers } from './answers.generated.ts';

/** Schemas of the answers about AI models. */
export const aiAnswers = answersOf<Answers>()(() => {
  const model = (task: string) =>
    z.string().optional().describe(`Model of \`${task}\` steps that name none; missing if not set.`);
  return {
    AiSettings: z
      .object({
        configured: z.boolean().describe('Whether the organization has a provider of its own.'),
        wire: z.enum(AI_WIRES).nullable().describe('API that the provider implements; null if not configured.'),
        baseUrl: z.string().nullable().describe("Base URL of the provider's API; null for the default of the API."),
        lastFour: z.string().nullable().describe('Last characters of the API key; null if there is none.'),
        models: z
          .object({ generate: model('generate'), decide: model('decide'), extract: model('extract') })
          .describe('Default models by task.'),
        prices: z
          .record(
            z.string(),
            z.object({
              input: z.number().describe('Price of a million input tokens, in your currency.'),
              output: z.number().describe('Price of a million output tokens, in your currency.'),
            }),
          )
          .describe('Prices by model.'),
        keyRejectedAt: z
          .date()
          .nullable()
          .describe('Since when the provider rejects the API key; null if it does not.'),
        keyErrorCode: z.string().nullable().describe('Error code of the rejection; null if there is none.'),
        updatedAt: z.date().nullable().describe('When the settings were last changed; null if not configured.'),
        sharedTokens: z
          .object({
            today: z.int().describe('Tokens used today (UTC).'),
            perDay: z.int().describe('Maximum number of tokens per day.'),
          })
          .describe("Use of the deployment's shared provider, which serves organizations without one of their own."),
      })
      .describe("An organization's provider of AI models, without its API key."),
    StepUsage: z
      .object({
        model: z.string().describe('Name of the model.'),
        keySource: z
          .enum(['organization', 'shared'])
          .describe("Whose API key was used: the organization's or the deployment's."),
        calls: z.int().describe('Requests to the model.'),
        inputTokens: z.int().describe('Tokens of the requests.'),
        outputTokens: z.int().describe('Tokens of the responses.'),
        cost: z.number().nullable().describe('Cost at the configured prices; null if the model has no price.'),
      })
      .describe('What an AI step used.'),
  };
});
