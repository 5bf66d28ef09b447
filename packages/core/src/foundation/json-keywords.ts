// zod's JSON Schema lacks what a refinement or a custom check requires. Schemas register the keywords that say it, for the
// schemas of workflow files. Where no keyword can say it, nothing is registered, and the file's schema accepts more.

import { z } from 'zod';

/** JSON Schema keywords of a zod schema, beside those that zod writes. */
export const jsonKeywords = z.registry<Readonly<Record<string, unknown>>>();

/** Text without the character U+0000. */
export const NO_NULL_CHARACTER = { pattern: '^[^\\u0000]*$' };

const HEX = '[0-9a-fA-F]';
/** A UUID in either case. */
export const UUID_TEXT = { pattern: `^${HEX}{8}-${HEX}{4}-${HEX}{4}-${HEX}{4}-${HEX}{12}$` };

/** At least one of these members. */
export const anyRequired = (...names: readonly string[]) => ({ anyOf: names.map((name) => ({ required: [name] })) });

/** Exactly one of these members. */
export const oneRequired = (...names: readonly string[]) => ({ oneOf: names.map((name) => ({ required: [name] })) });

/** Not both members. */
export const notBoth = (one: string, other: string) => ({ not: { required: [one, other] } });
