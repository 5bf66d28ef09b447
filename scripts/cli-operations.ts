import { fileURLToPath } from 'node:url';
import { isNode, literal, type Node, nodes } from './schema-types.ts';
import { type Described, type Document, describedRoutes, schemaOf } from './sdk-types.ts';

/** Location of the file in the CLI. */
export const cliOperationsFile = fileURLToPath(new URL('../packages/cli/src/generated/operations.ts', import.meta.url));

const REF = '#/components/schemas/';
const KEY = '#/components/parameters/idempotencyKey';
const TYPES = new Set(['string', 'integer', 'number', 'boolean', 'array']);

/** The schema behind a reference and beside null. */
const plainOf = ({ components }: Document, schema: Node): Node => {
  const { $ref: ref, anyOf } = schema;
  if (typeof ref === 'string') return { ...components.schemas[ref.replace(REF, '')] };
  const others = nodes(anyOf).filter(({ type }) => type !== 'null');
  return others.length === 1 && others[0] ? { ...others[0], ...schema } : schema;
};

/** The first sentence without its full stop: help texts have one line. */
const firstSentence = (text: string): string => (text.split(/\.(?:\s|$)/)[0] ?? text).trim();

/** The part of a field that a flag needs. */
const fieldOf = (
  document: Document,
  given: unknown,
  isRequired: boolean,
  text: unknown = isNode(given) ? given['description'] : undefined,
): string => {
  const schema = isNode(given) ? plainOf(document, given) : {};
  const items = isNode(schema['items']) ? plainOf(document, schema['items']) : {};
  const words = schema['enum'] ?? items['enum'];
  const [type = words === undefined ? '' : 'string'] = [schema['type']].flat().filter((one) => one !== 'null');
  const isPlain = TYPES.has(String(type)) && (type !== 'array' || items['type'] === 'string');
  return [
    `{ type: ${literal(isPlain ? type : 'json')}`,
    ...(isRequired ? ['isRequired: true'] : []),
    ...(Array.isArray(words) ? [`choices: [${words.map(literal).join(', ')}]`] : []),
    ...(typeof text === 'string' ? [`text: ${literal(firstSentence(text))}`] : []),
  ]
    .join(', ')
    .concat(' }');
};

const objectOf = (fields: readonly (readonly [name: string, field: string])[]): string =>
  fields.length === 0 ? '{}' : `{ ${fields.map((field) => field.join(': ')).join(', ')} }`;

const queryOf = (document: Document, operation: Node): string =>
  objectOf(
    nodes(operation['parameters'])
      .filter((one) => one['in'] === 'query')
      .map(({ name, schema, required, description }) => [
        String(name),
        fieldOf(document, schema, required === true, description),
      ]),
  );

const bodyOf = (document: Document, operation: Node): string => {
  const named = schemaOf(operation['requestBody']);
  const { properties, required } = named === null ? {} : plainOf(document, named);
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  if (!isNode(properties)) return '{}';
  return objectOf(
    Object.entries(properties).map(([name, schema]) => [name, fieldOf(document, schema, needed.includes(name))]),
  );
};

const traitsOf = ({ operation }: Described): string =>
  nodes(operation['parameters']).some(({ $ref: ref }) => ref === KEY) ? 'takesKey: true, ' : '';

/**
 * What the CLI needs to know of each operation before it loads the library: the fields of its query and its body, each
 * with its type, its words and its description.
 *
 * @param document the OpenAPI document. Throws nothing.
 */
export const cliOperations = (document: Document): string =>
  [
    '// Made of the description of the interface by `npm run openapi`.',
    '',
    '/** A field of a query or a body. `array`: an array of strings. `json`: any other JSON value. */',
    'export type Field = {',
    "  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'json';",
    '  readonly isRequired?: true;',
    '  readonly choices?: readonly string[];',
    '  readonly text?: string;',
    '};',
    '',
    '/** What an operation takes. `takesKey`: it may be sent with an idempotency key. */',
    'export type Described = {',
    '  readonly takesKey?: true;',
    '  readonly query: Readonly<Record<string, Field>>;',
    '  readonly body: Readonly<Record<string, Field>>;',
    '};',
    '',
    'export const operations: Readonly<Record<string, Described>> = {',
    ...describedRoutes(document).map(
      (route) =>
        `  ${literal(route.name)}: { ${traitsOf(route)}query: ${queryOf(document, route.operation)}, body: ${bodyOf(document, route.operation)} },`,
    ),
    '};',
    '',
  ].join('\n');
