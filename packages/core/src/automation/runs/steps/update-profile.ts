import { z } from 'zod';
import { longArrayIn, TOO_MANY_ITEMS } from '../../../foundation/array-items.ts';
import { MAX_JSON_DEPTH } from '../../../foundation/json.ts';
import { anyRequired, jsonKeywords } from '../../../foundation/json-keywords.ts';
import { isJsonValue, type JsonValue } from '../../../foundation/json-value.ts';
import { compileTemplate } from '../../../messaging/templates/compile.ts';
import { atMost, common, MAX_ADDRESS_TEMPLATE, storableText } from './fields.ts';
import { RENDERED } from './rendered.ts';
import { stepScopes } from './scopes.ts';
import { defineStep } from './step.ts';
import { applyUpdate, templateValue } from './trait-edits.ts';

/** Maximum characters of a trait key. Source: contract, ingest and profiles. */
const MAX_TRAIT_KEY = 128;
/** Maximum traits per verb: as many as a profile has. Source: contract, ingest and profiles. */
const MAX_TRAITS_NAMED = 1_000;

const traitKey = storableText(MAX_TRAIT_KEY);
// One level is the traits object itself.
const traitValue = z.custom<JsonValue>(
  (value) => isJsonValue(value, MAX_JSON_DEPTH - 1),
  `must be JSON of at most ${MAX_JSON_DEPTH - 1} levels`,
);
const traits = z
  .record(
    traitKey,
    traitValue.refine((value) => longArrayIn(value) === null, TOO_MANY_ITEMS),
  )
  .refine(...atMost(MAX_TRAITS_NAMED))
  .register(jsonKeywords, { maxProperties: MAX_TRAITS_NAMED })
  .optional();
const hasPlaceholder = (text: string): boolean => compileTemplate(text).placeholders.length > 0;
const amount = z.union(
  [
    z.number(),
    z
      .string()
      .max(MAX_ADDRESS_TEMPLATE)
      .refine(hasPlaceholder, 'must contain a {{variable}}')
      .register(jsonKeywords, { pattern: '\\{\\{' }),
  ],
  {
    error: 'must be a number, or a template that gives one',
  },
);

/**
 * Changes the user's traits; every string in a value is a template. Values that do not fit mark the profile as
 * truncated.
 */
export const updateProfile = defineStep({
  type: 'update_profile',
  renders: RENDERED.update_profile,
  config: z
    .strictObject({
      ...common,
      unset: z
        .array(traitKey)
        .max(MAX_TRAITS_NAMED)
        .optional()
        .describe('Names of traits to remove. At most 1,000. Default: none.'),
      set: traits.describe('Traits to set. Texts may contain {{variables}}. At most 1,000. Default: none.'),
      setOnce: traits.describe(
        'Traits to set if the profile does not have them. Texts may contain {{variables}}. At most 1,000. Default: none.',
      ),
      increment: z
        .record(traitKey, amount)
        .refine(...atMost(MAX_TRAITS_NAMED))
        .register(jsonKeywords, { maxProperties: MAX_TRAITS_NAMED })
        .optional()
        .describe('Numbers to add to traits, or templates that give one. At most 1,000. Default: none.'),
      append: traits.describe('Values to add to traits that are lists. At most 1,000. Default: none.'),
      remove: traits.describe('Values to remove from traits that are lists. At most 1,000. Default: none.'),
    })
    .refine(
      ({ unset, set, setOnce, increment, append, remove }) =>
        [unset, set, setOnce, increment, append, remove].some((verb) => verb !== undefined),
      'needs at least one of unset, set, setOnce, increment, append, remove',
    )
    .register(jsonKeywords, anyRequired(['unset', 'set', 'setOnce', 'increment', 'append', 'remove'])),
  run: (config) => (context) => {
    const { profile } = context;
    let fill: ReturnType<typeof templateValue> | undefined;
    // Created for the first template only, because it copies all traits.
    const filled = (text: string): unknown => {
      fill ??= templateValue(stepScopes(context));
      return fill(text);
    };
    const done = applyUpdate(profile?.traits ?? {}, config, filled);
    if (done.outcome === 'error') return { outcome: 'error', reason: done.reason };
    if (done.changed.length === 0 && !done.isTruncated) return { outcome: 'ok' };
    const isTruncated = (profile?.isTruncated ?? false) || done.isTruncated;
    return { outcome: 'ok', nextTraits: { traits: done.traits, isTruncated } };
  },
});
