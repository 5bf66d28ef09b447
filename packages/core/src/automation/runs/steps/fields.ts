// Config fields shared by several step types.

import { z } from 'zod';
import { isRowId } from '../../../foundation/ids.ts';
import { jsonKeywords, NO_NULL_CHARACTER, ROW_ID_TEXT } from '../../../foundation/json-keywords.ts';
import { templateId } from '../../../messaging/sends/fields.ts';
import { variables } from '../../../messaging/templates/preview.ts';
import { condition } from './condition.ts';

/** Maximum minutes of a delay or a wait. Source: interface, Step (one year). */
export const MAX_DELAY_MINUTES = 525_600;
/** Maximum characters of a step's name. Chosen: as for a workflow's. */
const MAX_STEP_NAME = 200;
/** Maximum characters of an address template. Chosen: an address has at most 320. */
export const MAX_ADDRESS_TEMPLATE = 1_000;

/** Text that both databases can store: 1 to `max` UTF-16 units without U+0000. */
export const storableText = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((text) => !text.includes('\0'), 'must not contain the character U+0000')
    .register(jsonKeywords, NO_NULL_CHARACTER);

/** Maximum characters of an event name. Source: interface, Trigger. */
const MAX_EVENT_TYPE = 128;

/** Literal event name of a trigger or a wait. */
export const eventName = storableText(MAX_EVENT_TYPE);

/**
 * Name under which later steps read a step's output, `{{steps.<name>.*}}`, so it has no dots or braces. Its length is
 * chosen.
 */
const saveAs = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'must be a letter, then at most 63 letters, digits, _ and -');

/** Keys of every config. Source: contract, Workflows. */
export const common = {
  name: storableText(MAX_STEP_NAME)
    .optional()
    .describe('Name of the step, for reports. 1 to 200 characters. Default: none.'),
  onError: z
    .enum(['continue', 'stop'])
    .optional()
    .describe('Whether the run goes on after an error (continue) or ends (stop). Default: continue.'),
  when: condition.optional().describe('Condition under which the step runs; otherwise it is skipped. Default: always.'),
  saveAs: saveAs
    .optional()
    .describe(
      'Name under which later steps read the output as {{steps.NAME.*}}. A letter, then up to 63 letters, digits, _ and -. Default: not saved.',
    ),
};

/** The config without the common keys. */
export const ownConfig = <Config extends { readonly [Key in keyof typeof common]?: unknown }>({
  name: _name,
  onError: _onError,
  when: _when,
  saveAs: _saveAs,
  ...own
}: Config): Omit<Config, keyof typeof common> => own;

/** An A/B test of the step's channel. If the run's environment does not have it, the step's own content is used. */
export const abTestId = z
  .string()
  .refine(isRowId, 'must be the id of an A/B test')
  .register(jsonKeywords, ROW_ID_TEXT)
  .optional()
  .describe('Id of an A/B test of the channel. Each user gets one variant. Default: none.');

/**
 * Fields of every step that sends: a stored template, and values of `event.*` that override the trigger's and are
 * templates themselves.
 */
export const fromTemplate = {
  templateId,
  variables: variables
    .optional()
    .describe(
      'Values of {{event.*}} that take precedence over those of the trigger. Texts may contain {{variables}}. Default: none.',
    ),
};

const breaksLine = (text: string): boolean => /[\r\n\0\u2028\u2029]/.test(text);

/** A template of one line. */
export const headerLine = (max: number) =>
  z
    .string()
    .max(max)
    .refine((text) => !breaksLine(text), 'must be one line')
    .register(jsonKeywords, { pattern: '^[^\\r\\n\\u0000\\u2028\\u2029]*$' });

/** A template of one address or number. */
export const addressLine = headerLine(MAX_ADDRESS_TEMPLATE).min(1).optional();

/** Arguments for `refine`: a record with at most `max` keys. */
export const atMost = (max: number) =>
  [(record: object) => Object.keys(record).length <= max, `must have at most ${max} keys`] as const;
