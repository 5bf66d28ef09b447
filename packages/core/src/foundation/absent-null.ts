// A null in an optional field of a body means that the field is absent, at each level that the schema names. Free-form
// values (`data`, `variables`), which no schema names, keep their nulls. Source: contract, Decided on 2026-11-28.

import { z } from 'zod';
import { isObject } from './json.ts';

/** Returns the value without the nulls of optional fields; the same value if it has none. */
type Strip = (value: unknown) => unknown;

/** Cached strip function of each schema; null if the schema has nothing to strip. */
const stripCache = new WeakMap<z.core.$ZodType, { readonly strip: Strip | null }>();

const isOptional = (schema: z.core.$ZodType): boolean => schema._zod.optin === 'optional';

const stripMembers =
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

const stripItems =
  (strip: Strip): Strip =>
  (value) => {
    if (!Array.isArray(value)) return value;
    const items: unknown[] = value.map(strip);
    return items.some((item, at) => item !== value[at]) ? items : value;
  };

const stripValues =
  (strip: Strip): Strip =>
  (value) => {
    if (!isObject(value)) return value;
    const members = Object.entries(value).map(([key, member]) => [key, strip(member)] as const);
    return members.some(([key, member]) => member !== value[key]) ? Object.fromEntries(members) : value;
  };

const buildStrip = (schema: z.core.$ZodType): Strip | null => {
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries<z.core.$ZodType>(schema.shape).map(([key, field]) => {
      return [key, { isOptional: isOptional(field), strip: stripOf(field) }] as const;
    });
    return stripMembers(new Map(fields));
  }
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return stripOf(schema.def.innerType);
  if (schema instanceof z.ZodPipe) return stripOf(schema.def.in);
  if (schema instanceof z.ZodArray) {
    const strip = stripOf(schema.def.element);
    return strip && stripItems(strip);
  }
  if (schema instanceof z.ZodRecord) {
    const strip = stripOf(schema.def.valueType);
    return strip && stripValues(strip);
  }
  if (schema instanceof z.ZodUnion) {
    const options = schema.def.options.flatMap((option) => stripOf(option) ?? []);
    return options.length === 0 ? null : (value) => options.reduce((left, strip) => strip(left), value);
  }
  return null;
};

const stripOf = (schema: z.core.$ZodType): Strip | null => {
  const found = stripCache.get(schema) ?? { strip: buildStrip(schema) };
  stripCache.set(schema, found);
  return found.strip;
};

/** The body without the nulls of its optional fields. It is not validated here. Throws nothing. */
export const withoutNulls = <Body>(schema: z.core.$ZodType, body: Body): Body =>
  // Safe: only optional members are left out.
  (stripOf(schema)?.(body) ?? body) as Body;

/** As `withoutNulls` for a patch: a null at its top level clears a field and is kept. Throws nothing. */
export const withoutInnerNulls = (schema: z.ZodObject, patch: unknown): unknown => {
  if (!isObject(patch)) return patch;
  const cleared = Object.entries(patch).filter(([, member]) => member === null);
  const rest = withoutNulls(schema, Object.fromEntries(Object.entries(patch).filter(([, member]) => member !== null)));
  return { ...rest, ...Object.fromEntries(cleared) };
};
