import { z } from 'zod';
import { condition } from './condition.ts';

/** Key order of an object and of nested objects; for arrays, of each element. */
export type KeyOrder = {
  readonly keys: readonly string[];
  readonly within: ReadonlyMap<string, KeyOrder>;
};

/** No defined order: keys are sorted by name. */
export const NO_ORDER: KeyOrder = { keys: [], within: new Map() };

const inConditions = new Map<string, KeyOrder>();
/** Order of conditions at any depth: the subject before the operator. Keys that are not listed are sorted by name. */
const CONDITION_ORDER: KeyOrder = { keys: ['trait', 'path', 'op', 'value', 'caseSensitive'], within: inConditions };
for (const key of ['all', 'any', 'not']) inConditions.set(key, CONDITION_ORDER);

/** Key order of a schema, through nested objects and arrays. Throws nothing. */
export const keyOrderOf = (schema: z.core.$ZodType): KeyOrder => {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return keyOrderOf(schema.unwrap());
  if (schema instanceof z.ZodArray) return keyOrderOf(schema.element);
  if (schema === condition) return CONDITION_ORDER;
  if (!(schema instanceof z.ZodObject)) return NO_ORDER;
  const members = Object.entries(schema.shape);
  return {
    keys: members.map(([key]) => key),
    within: new Map(
      members.flatMap(([key, member]) => {
        const order = keyOrderOf(member);
        return order === NO_ORDER ? [] : [[key, order]];
      }),
    ),
  };
};
