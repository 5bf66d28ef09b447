// What a predicate and a condition look like, for JSON Schema: the API description and the schemas of workflow files.
// `readLeaf` and `readTest` do the checking, because zod would take several times as long; a test compares both.

import { z } from 'zod';
import { jsonKeywords, NO_NULL_CHARACTER, UUID_TEXT } from '../../../foundation/json-keywords.ts';
import { MAX_COUNT, MAX_NAME, MAX_PATH, MAX_PATH_NAMES } from './read-leaf.ts';
import { MAX_SPAN_DAYS, MAX_TEXT, MAX_VALUES, MAX_ZONE } from './read-value.ts';
import { MAX_NODES } from './schema.ts';
import { UNIT_MS, USER_FIELDS } from './types.ts';

/** Kind of the built-in fields that an operator takes; null: none. */
type FieldKind = 'text' | 'time' | 'any' | null;
/** Makes the subject of a leaf, for operators that take these built-in fields. */
type SubjectOf<Subject extends z.core.$ZodShape> = (kind: FieldKind) => Subject;

const fieldsOf = (kind: FieldKind): string =>
  Object.entries(USER_FIELDS)
    .filter(([, one]) => kind === 'any' || one === kind)
    .map(([name]) => name)
    .join('|');

const value = z.union([z.string().max(MAX_TEXT), z.number(), z.boolean()]);
const scalar = value.describe('Value to compare with: a text, a number, true or false.');
const list = z.array(value).min(1).max(MAX_VALUES).describe('Values to compare with. 1 to 1,000.');
const number = z.number().describe('Number to compare with.');
const version = z
  .string()
  .regex(/^\d{1,9}(?:\.\d{1,9}){0,3}$/)
  .describe('Version to compare with: one to four numbers with dots between them, such as 2.10.0.');
// One day, or two days.
const formsOf = (unit: string): string[] => [unit, unit.slice(0, -1)];
const UNITS = Object.keys(UNIT_MS).flatMap(formsOf);
const span = z
  .strictObject({
    n: z.int().min(1).describe('Number of units. At least 1; at most 36,500 days.'),
    unit: z.enum(UNITS).describe('Unit of time.'),
  })
  .register(jsonKeywords, {
    anyOf: Object.entries(UNIT_MS).map(([unit, ms]) => ({
      properties: {
        unit: { enum: formsOf(unit) },
        n: { type: 'integer', maximum: Math.floor((MAX_SPAN_DAYS * UNIT_MS.days) / ms) },
      },
    })),
  });
const timezone = z
  .string()
  .max(MAX_ZONE)
  .optional()
  .describe('Time zone in which a day without a time begins: user, org or an IANA name. Default: UTC.');
const op = <const Ops extends readonly [string, ...string[]]>(...ops: Ops) => z.enum(ops).describe('Operator.');

/** Tests of one value, by operator: those that compare with the present moment are apart. */
const fixedTests = <Subject extends z.core.$ZodShape>(of: SubjectOf<Subject>) =>
  [
    z.strictObject({ ...of('any'), op: op('set', 'not_set') }),
    z.strictObject({ ...of('text'), op: op('eq', 'neq'), value: scalar }),
    z.strictObject({ ...of('text'), op: op('in', 'not_in'), value: list }),
    z.strictObject({
      ...of('text'),
      op: op('contains', 'not_contains', 'starts_with', 'ends_with'),
      value: z.string().min(1).max(MAX_TEXT).describe('Text to look for. 1 to 1,024 characters.'),
      caseSensitive: z.boolean().optional().describe('Whether upper and lower case differ. Default: false.'),
    }),
    z.strictObject({ ...of(null), op: op('gt', 'gte', 'lt', 'lte'), value: number }),
    z.strictObject({
      ...of(null),
      op: op('between'),
      value: z.tuple([z.number(), z.number()]).describe('Smallest and largest number.'),
    }),
    z.strictObject({ ...of(null), op: op('includes', 'not_includes'), value: scalar }),
    z.strictObject({ ...of(null), op: op('includes_any', 'includes_all'), value: list }),
    z.strictObject({
      ...of('time'),
      op: op('before', 'after'),
      value: z
        .union([z.string(), z.number()])
        .describe('Date to compare with: ISO 8601 such as 2026-11-22 or 2026-11-22T18:30:00Z, or a unix time.'),
      timezone,
    }),
    z.strictObject({ ...of(null), op: op('ver_eq', 'ver_gt', 'ver_gte', 'ver_lt', 'ver_lte'), value: version }),
  ] as const;
const relativeTest = <Subject extends z.core.$ZodShape>(of: SubjectOf<Subject>) =>
  z.strictObject({
    ...of('time'),
    op: op('within_last', 'within_next', 'older_than'),
    value: span.describe('Span of time, counted from the present moment.'),
    timezone,
  });

const NAME_IN_PATH = '[^.\\u0000]+';
const traitOf: SubjectOf<{ trait: z.ZodString }> = (kind) => ({
  trait: z
    .string()
    .max(MAX_NAME)
    .register(jsonKeywords, {
      pattern: `^(?!user\\.)[^\\u0000]*$${kind === null ? '' : `|^user\\.(?:${fieldsOf(kind)})$`}`,
    })
    .describe('Name of the trait, or a built-in field such as user.email. At most 128 characters.'),
});
const pathOf: SubjectOf<{ path: z.ZodString }> = (kind) => ({
  path: z
    .string()
    .max(MAX_PATH)
    .register(jsonKeywords, {
      pattern: `^(?:event|trait|steps)(?:\\.${NAME_IN_PATH}){1,${MAX_PATH_NAMES - 1}}$${kind === null ? '' : `|^user\\.(?:${fieldsOf(kind)})$`}`,
    })
    .describe('event.PROPERTY, trait.NAME, user.FIELD or steps.SAVED_AS.FIELD. At most 256 characters.'),
});
const propertyOf: SubjectOf<{ path: z.ZodString }> = () => ({
  path: z
    .string()
    .max(MAX_PATH)
    .register(jsonKeywords, { pattern: `^${NAME_IN_PATH}(?:\\.${NAME_IN_PATH}){0,${MAX_PATH_NAMES - 1}}$` })
    .describe('Property of the event; a dot leads into an object. At most 256 characters.'),
});

const times = z.int().min(0).max(MAX_COUNT).optional();
const eventLeaf = () =>
  z.strictObject({
    event: z
      .string()
      .min(1)
      .max(MAX_NAME)
      .register(jsonKeywords, NO_NULL_CHARACTER)
      .describe('Name of the event. 1 to 128 characters.'),
    op: op('performed', 'not_performed'),
    count: z
      .strictObject({
        gte: times.describe('Least number of times. At most 1,000. Default: 1.'),
        lte: times.describe('Largest number of times. At most 1,000. Default: any.'),
      })
      .register(jsonKeywords, { minProperties: 1 })
      .optional()
      .describe('How often the event happened. Default: at least once.'),
    within: span.optional().describe('Span of time before the present moment. Default: ever.'),
    where: z
      .array(z.union(fixedTests(propertyOf)))
      .min(1)
      .optional()
      .describe('Tests of the properties of one event; all must be true. Default: none.'),
  });
const memberLeaf = () =>
  z.strictObject({
    audience: z.string().register(jsonKeywords, UUID_TEXT).describe('Id of the audience.'),
    op: op('in', 'not_in'),
  });

/** Leaves, by subject. Made at each call, because most programs describe nothing. */
export const leafShapes = () => ({
  trait: z.union([...fixedTests(traitOf), relativeTest(traitOf)]).describe('A test of a trait or a built-in field.'),
  event: eventLeaf().describe('Whether an event happened.'),
  audience: memberLeaf().describe('Whether the user is in an audience.'),
  path: z
    .union([...fixedTests(pathOf), relativeTest(pathOf)])
    .describe('A test of the event that started the run, or of a saved output.'),
});

const treeOf = (about: string, ...leaves: [z.ZodType, ...z.ZodType[]]) => {
  const node: z.ZodType = z.lazy(() => tree);
  const nodes = z.array(node).min(1).max(MAX_NODES);
  const tree = z
    .union([
      ...leaves,
      z.strictObject({ all: nodes.describe('Conditions that must all be true. At least 1.') }),
      z.strictObject({ any: nodes.describe('Conditions of which one must be true. At least 1.') }),
      z.strictObject({ not: node.describe('Condition that must be false.') }),
    ])
    .describe(about);
  const list = z.array(tree).min(1).max(MAX_NODES).describe('Conditions that must all be true. At least 1.');
  return [tree, z.union([tree, list]).describe(`${about} An array means all.`)] as const;
};

/** Predicates and conditions, as they are stored and as they are written, by the names of their types. */
export const treeShapes = () => {
  const { trait, event, audience, path } = leafShapes();
  const [Predicate, PredicateInput] = treeOf('Condition of membership.', trait, event, audience);
  const [Condition, ConditionInput] = treeOf('Condition of a step or a branch.', trait, path, event, audience);
  return { Predicate, PredicateInput, Condition, ConditionInput } as const;
};
