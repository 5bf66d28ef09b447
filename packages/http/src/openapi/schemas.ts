// zod schemas as components of an OpenAPI document.

import { bodySchemas, definitionSchemas, nullIsAbsent, templateFields } from '@beckon/core';
import { z } from 'zod';
import { answers, isDocumented, templateAnswers } from './answers.ts';
import { examples } from './examples.ts';

/** A schema of JSON Schema 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const place = (name: string): string => `#/components/schemas/${name}`;
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isNothing = (schema: unknown): boolean =>
  isObject(schema) && isObject(schema['not']) && Object.keys(schema['not']).length === 0;

/**
 * The object with the description of its only variant beside null, so that a nullable property has a description
 * itself.
 */
const hoisted = (members: readonly (readonly [string, unknown])[]): Record<string, unknown> => {
  const schema: Record<string, unknown> = Object.fromEntries(members);
  const { anyOf, description } = schema;
  if (!Array.isArray(anyOf) || description !== undefined) return schema;
  const [only, ...others] = anyOf.filter((one) => isObject(one) && one['type'] !== 'null');
  if (!isObject(only) || others.length > 0 || only['description'] === undefined) return schema;
  const { description: text, ...plain } = only;
  return { description: text, ...schema, anyOf: anyOf.map((one) => (one === only ? plain : one)) };
};

/**
 * Removes irrelevant output of zod: internal names, patterns that a format implies, keys that only carry an error
 * message.
 */
const tidy = (schema: unknown, isOpen: boolean): unknown => {
  if (Array.isArray(schema)) return schema.map((one) => tidy(one, isOpen));
  if (!isObject(schema)) return schema;
  const { $schema: _schema, $id: _id, ...rest } = schema;
  if (typeof rest['format'] === 'string') delete rest['pattern'];
  if (JSON.stringify(rest['propertyNames']) === '{"type":"string"}') delete rest['propertyNames'];
  for (const end of ['minimum', 'maximum'])
    if (Math.abs(Number(rest[end])) === Number.MAX_SAFE_INTEGER) delete rest[end];
  if (isOpen && rest['additionalProperties'] === false) delete rest['additionalProperties'];
  return hoisted(
    Object.entries(rest).map(([key, value]): [string, unknown] => {
      if (key === 'properties' && isObject(value)) {
        const kept = Object.entries(value).filter(([, property]) => !isNothing(property));
        return [key, Object.fromEntries(kept.map(([name, property]) => [name, tidy(property, isOpen)]))];
      }
      // Below these keywords there are values, not schemas.
      return [key, key === 'default' || key === 'enum' || key === 'const' ? value : tidy(value, isOpen)];
    }),
  );
};

const takesNull = (schema: JsonSchema): boolean =>
  Object.keys(schema).length === 0 ||
  [schema['type']].flat().includes('null') ||
  (Array.isArray(schema['anyOf']) && schema['anyOf'].some((one) => isObject(one) && takesNull(one)));

/** The schema with null allowed for each optional property, at each level that it names. */
const withNulls = (schema: JsonSchema, isPatch: boolean): JsonSchema => {
  const inner = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inner);
    return isObject(value) ? withNulls(value, false) : value;
  };
  const { properties, required } = schema;
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const members = Object.entries(schema).map(([key, value]) =>
    ['items', 'additionalProperties', 'anyOf', 'oneOf'].includes(key) ? [key, inner(value)] : [key, value],
  );
  if (!isObject(properties)) return Object.fromEntries(members);
  const shown = Object.entries(properties).map(([name, property]) => {
    if (!isObject(property)) return [name, property];
    const own = withNulls(property, false);
    const isLeft = isPatch || needed.includes(name) || takesNull(own);
    if (isLeft) return [name, own];
    return [name, hoisted([['anyOf', [own, { type: 'null' }]]])];
  });
  return { ...Object.fromEntries(members), properties: Object.fromEntries(shown) };
};

const takesText = (schema: z.core.$ZodType): boolean => z.safeParse(schema, 'text').success;

const convert = (
  named: Readonly<Record<string, z.ZodType>>,
  io: 'input' | 'output',
  isOpen: boolean,
  date: JsonSchema = { type: 'string', format: 'date-time' },
): Record<string, JsonSchema> => {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    io,
    unrepresentable: 'any',
    uri: place,
    // zod cannot describe custom checks: such a schema accepts any object, or any JSON.
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === 'custom' && !takesText(zodSchema)) jsonSchema.type = 'object';
      if (zodSchema._zod.def.type === 'date') Object.assign(jsonSchema, date);
      const tree = definitionSchemas.treeOf(zodSchema);
      // What comes out of a condition is never an array.
      if (tree !== undefined) jsonSchema.$ref = place(io === 'output' ? tree.replace('Input', '') : tree);
    },
  });
  // Safe: tidy returns an object for an object.
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, tidy(schema, isOpen) as JsonSchema]));
};

/**
 * Response schemas by name: dates are texts on the wire. Throws nothing.
 *
 * @param date the schema of a date, if it differs
 */
export const schemasOf = (named: Readonly<Record<string, z.ZodType>>, date?: JsonSchema): Record<string, JsonSchema> =>
  convert(named, 'output', true, date);

/** The type of a value whose text form is in the query. */
const asValue = ({ type, ...rest }: Record<string, unknown>): JsonSchema => {
  const { pattern: _pattern, enum: _enum, default: initial, ...others } = rest;
  if (type === 'integer') return { type, ...others, ...(initial === undefined ? {} : { default: Number(initial) }) };
  if (type === 'boolean') return { type, ...others, ...(initial === undefined ? {} : { default: initial === 'true' }) };
  return { type, ...rest };
};

/** A query parameter: its schema, and whether it is required. */
type QueryValue = {
  readonly name: string;
  readonly description: unknown;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
};

/** Query parameters: schemas of values, which are texts on the wire. Throws nothing. */
export const querySchemas = (schema: z.ZodObject): readonly QueryValue[] => {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return Object.entries(properties).map(([name, one]) => {
    // Safe: tidy returns an object for an object.
    const { type, description, ...rest } = tidy(one, false) as Record<string, unknown>;
    const value = type === undefined ? rest : asValue({ type, ...rest });
    return { name, description, schema: value, isRequired: required.includes(name) };
  });
};

/** The members of two objects in one. */
const merged = (one: JsonSchema, other: JsonSchema): JsonSchema => {
  const members = (key: string) => [one, other].map((schema) => schema[key]);
  return {
    type: 'object',
    description: 'A template with its content.',
    properties: Object.assign({}, ...members('properties')),
    required: members('required').flatMap((names) => names ?? []),
  };
};

/** Every named schema: bodies with their examples, and responses. Responses may get more members, so they are open. */
export const componentSchemas = (): Record<string, JsonSchema> => {
  const { step: StepInput, trees } = definitionSchemas;
  const bodies = convert({ ...bodySchemas(), StepInput, ...trees() }, 'input', false);
  for (const [isPatch, names] of [
    [false, nullIsAbsent.bodies],
    [true, nullIsAbsent.patches],
  ] as const)
    for (const name of names) bodies[name] = withNulls(bodies[name] ?? {}, isPatch);
  const fields = convert(
    {
      PushTemplateFields: z.object(templateFields.push),
      EmailTemplateFields: z.object(templateFields.email),
      SmsTemplateFields: z.object(templateFields.sms),
    },
    'input',
    true,
  );
  const described = schemasOf(answers());
  const templates = Object.entries(templateAnswers).map(([name, [row, content]]) => [
    name,
    merged(described[row] ?? {}, fields[content] ?? {}),
  ]);
  const shown = Object.entries(examples).map(([name, example]) => [name, { ...bodies[name], examples: [example] }]);
  const documented = Object.entries(described).filter(([name]) => isDocumented(name));
  return {
    ...Object.fromEntries(documented),
    ...Object.fromEntries(templates),
    ...bodies,
    ...Object.fromEntries(shown),
  };
};
