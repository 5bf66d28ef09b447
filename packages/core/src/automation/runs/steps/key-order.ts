import { z } from 'zod';
import { condition } from './condition.ts';

/** In which order the members of an object are shown, and those of the objects within it; of a list, of each in it. */
export type KeyOrder = {
  readonly keys: readonly string[];
  readonly within: ReadonlyMap<string, KeyOrder>;
};

/** Of what has no members of its own: those that there are stand by their names. */
export const NO_ORDER: KeyOrder = { keys: [], within: new Map() };

const inConditions = new Map<string, KeyOrder>();
/** Of conditions, however deep: what is asked stands before how. What a leaf does not name stands by its name. */
const CONDITION_ORDER: KeyOrder = { keys: ['trait', 'path', 'op', 'value', 'caseSensitive'], within: inConditions };
for (const key of ['all', 'any', 'not']) inConditions.set(key, CONDITION_ORDER);

/** The order of a schema's members, as deep as its objects and lists lead. Throws nothing. */
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
