// Words of the schemas of answers.

import { ENVIRONMENTS } from '@beckon/core';
import { z } from 'zod';

/** A type of the library's as JSON has it. */
type Wire<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? readonly Wire<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Wire<T[Key]> }
      : T;

/** Takes a schema that gives exactly what the type promises: another one does not compile. Throws nothing. */
export const answerOf =
  <T>() =>
  <Schema extends z.ZodType<Wire<T>>>(schema: Schema): Schema =>
    schema;

/** One of a closed list. Throws nothing. */
export const word = <const Words extends readonly string[]>(list: Words) => z.enum(list);
/** One of the names of a table. Throws nothing. */
export const names = <Name extends string>(table: Readonly<Record<Name, unknown>>) =>
  // Safe: the table's own names.
  z.enum(Object.keys(table) as Name[]);

/** An id of ours. */
export const id = z.uuid();
/** ISO 8601 UTC with milliseconds. */
export const moment = z.iso.datetime();
/** JSON that somebody else chose. */
export const freeForm = z.record(z.string(), z.unknown());
export const environment = z.enum(ENVIRONMENTS);
/** Whose a thing is. */
export const owner = { orgId: id, projectId: id, environment };
