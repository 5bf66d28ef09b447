// zod's JSON Schema lacks what a refinement or a custom check requires. Schemas register the keywords that say it, for
// the schemas of workflow files. Where no keyword can say it, nothing is registered, and the file's schema accepts
// more.

import { z } from 'zod';

/** JSON Schema keywords of a zod schema, beside those that zod writes. `$ref` is the name of another schema. */
export const jsonKeywords = z.registry<Readonly<Record<string, unknown>>>();

/** Text without the character U+0000. */
export const NO_NULL_CHARACTER = { pattern: '^[^\\u0000]*$' };

const HEX = '[0-9a-fA-F]';
/** A UUID in either case. */
export const UUID_TEXT = { pattern: `^${HEX}{8}-${HEX}{4}-${HEX}{4}-${HEX}{4}-${HEX}{12}$` };

/** The id of a row: a UUID in lower case. */
export const ROW_ID_TEXT = { pattern: UUID_TEXT.pattern.replaceAll('A-F', '') };

/** One line of text, without control characters. */
export const ONE_LINE_TEXT = { pattern: '^[^\\p{Cc}\\u2028\\u2029]*$' };

const present = (name: string) => ({ required: [name] });
const filled = (name: string) => ({
  required: [name],
  properties: { [name]: { type: ['string', 'object'], minLength: 1, minProperties: 1 } },
});

/** At least one of these members. An empty text or object of `fillable` does not count. */
export const anyRequired = (names: readonly string[], fillable: readonly string[] = []) => ({
  anyOf: [...names.map(present), ...fillable.map(filled)],
});

/** Exactly one of these members. */
export const oneRequired = (...names: readonly string[]) => ({ oneOf: names.map(present) });

/** Not both members. */
export const notBoth = (one: string, other: string) => ({ not: { required: [one, other] } });

/** These keywords, if a member is there and has these others. */
export const whenMember = (name: string, member: object, keywords: object) => ({
  anyOf: [{ not: { required: [name], properties: { [name]: member } } }, keywords],
});
