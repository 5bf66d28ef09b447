// null in an optional field of a body means that the field is absent, at each level that its schema names. What a schema
// does not name (free-form `data` and `variables`) keeps its nulls. Source: contract, Decided on 2026-11-28.

import { z } from 'zod';
import { isObject } from './json.ts';

/** Gives the value without the nulls of optional fields; the same value where it has none. */
type Strip = (value: unknown) => unknown;

/** What a schema would strip; null: nothing in it can be. */
const strips = new WeakMap<z.core.$ZodType, { readonly strip: Strip | null }>();

const isOptional = (schema: z.core.$ZodType): boolean => schema._zod.optin === 'optional';

const ofMembers =
  (fields: ReadonlyMap<string, { readonly isOptional: boolean; readonly strip: Strip | null }>): Strip =>
  (value) => {
    if (!isObject(value)) return value;
    let isChanged = false;
    const members = Object.entries(value).flatMap(([key, member]): [string, unknown][] => {
      const field = fields.get(key);
      const isAbsent = member === null && field?.isOptional === true;
      const next = field?.strip && member !== null ? field.strip(member) : member;
      isChanged ||= isAbsent || next !== member;
      return isAbsent ? [] : [[key, next]];
    });
    return isChanged ? Object.fromEntries(members) : value;
  };

const ofItems =
  (strip: Strip): Strip =>
  (value) => {
    if (!Array.isArray(value)) return value;
    const items: unknown[] = value.map(strip);
    return items.some((item, at) => item !== value[at]) ? items : value;
  };

const ofValues =
  (strip: Strip): Strip =>
  (value) => {
    if (!isObject(value)) return value;
    const members = Object.entries(value).map(([key, member]) => [key, strip(member)] as const);
    return members.some(([key, member]) => member !== value[key]) ? Object.fromEntries(members) : value;
  };

const made = (schema: z.core.$ZodType): Strip | null => {
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries<z.core.$ZodType>(schema.shape).map(([key, field]) => {
      return [key, { isOptional: isOptional(field), strip: stripOf(field) }] as const;
    });
    return ofMembers(new Map(fields));
  }
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return stripOf(schema.def.innerType);
  if (schema instanceof z.ZodPipe) return stripOf(schema.def.in);
  if (schema instanceof z.ZodArray) {
    const strip = stripOf(schema.def.element);
    return strip && ofItems(strip);
  }
  if (schema instanceof z.ZodRecord) {
    const strip = stripOf(schema.def.valueType);
    return strip && ofValues(strip);
  }
  if (schema instanceof z.ZodUnion) {
    const options = schema.def.options.flatMap((option) => stripOf(option) ?? []);
    return options.length === 0 ? null : (value) => options.reduce((left, strip) => strip(left), value);
  }
  return null;
};

const stripOf = (schema: z.core.$ZodType): Strip | null => {
  const found = strips.get(schema) ?? { strip: made(schema) };
  strips.set(schema, found);
  return found.strip;
};

/** The body without the nulls of its optional fields. What else is wrong with it is for the schema to say. Throws nothing. */
export const withoutNulls = <Body>(schema: z.core.$ZodType, body: Body): Body =>
  // Safe: a member is left out only where its type lets it be absent.
  (stripOf(schema)?.(body) ?? body) as Body;

/** The same of a patch, whose own members keep their nulls: these clear a field. Throws nothing. */
export const withoutInnerNulls = (schema: z.ZodObject, patch: unknown): unknown => {
  if (!isObject(patch)) return patch;
  const cleared = Object.entries(patch).filter(([, member]) => member === null);
  const rest = withoutNulls(schema, Object.fromEntries(Object.entries(patch).filter(([, member]) => member !== null)));
  return { ...rest, ...Object.fromEntries(cleared) };
};
