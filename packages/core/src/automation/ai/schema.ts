// Settings of an org's model provider.

import { z } from 'zod';
import { AI_WIRES, type AiWireName } from '../../delivery/transports/ai/port.ts';
import { baseUrlProblem } from '../../delivery/transports/ai/provider.ts';
import { AI_FLAVORS } from './task.ts';

/** Maximum characters of a model's name. Chosen. */
export const MAX_MODEL = 200;
/** Maximum characters of a base URL, and of a key. Chosen. */
const MAX_URL = 2_048;
const MAX_KEY = 8_192;
/** Maximum prices of one org. Chosen. */
const MAX_PRICES = 50;

/** Default base URLs of the providers. */
export const BASE_URLS: Readonly<Record<AiWireName, string>> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
};

const line = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[\x20-\x7e]+$/, 'must be one line of ASCII');

/** Models by kind of task. */
export const aiModels = z.strictObject(
  Object.fromEntries(
    AI_FLAVORS.map((flavor) => [
      flavor,
      line(MAX_MODEL).optional().describe(`Model of ${flavor} steps that name none. At most ${MAX_MODEL} characters.`),
    ]),
  ) as {
    // Safe: one member per flavor.
    readonly [Flavor in (typeof AI_FLAVORS)[number]]: z.ZodOptional<ReturnType<typeof line>>;
  },
);
export type AiModels = Readonly<z.output<typeof aiModels>>;

const price = z.number().min(0).max(1_000_000);
/** Price of a million tokens of a model, in any currency. */
export const aiPrices = z
  .record(
    line(MAX_MODEL),
    z.strictObject({
      input: price.describe('Price of a million input tokens, in your currency.'),
      output: price.describe('Price of a million output tokens, in your currency.'),
    }),
  )
  .refine((prices) => Object.keys(prices).length <= MAX_PRICES, `must have at most ${MAX_PRICES} keys`);
export type AiPrices = Readonly<z.output<typeof aiPrices>>;

export const aiBaseUrl = z
  .string()
  .max(MAX_URL)
  .superRefine((url, context) => {
    const message = baseUrlProblem(url);
    if (message !== null) context.addIssue({ code: 'custom', message });
  });
export const aiKey = line(MAX_KEY);

/**
 * All settings of an org. They are only replaced as a whole, so that a key is never sent to a URL it was not entered
 * for.
 */
export const aiSettingsBody = z.strictObject({
  wire: z.enum(AI_WIRES).default('openai').describe('API format of the provider. Default: openai.'),
  /** Default: the provider's own. */
  baseUrl: aiBaseUrl.optional().describe("Base URL of the API. At most 2,048 characters. Default: the provider's own."),
  /** Null: the provider needs no key. */
  key: aiKey.nullable().describe('API key of the provider. Null if the provider needs none.'),
  models: aiModels.default({}).describe('Models by kind of AI step. Default: none; a step then names its model.'),
  prices: aiPrices
    .default({})
    .describe('Prices by model, for cost figures. At most 50 models. Default: no cost figures.'),
});
