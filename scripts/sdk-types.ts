import { fileURLToPath } from 'node:url';
import { declarationOf, either, isNode, literal, type Node, nodes, typeOf } from './schema-types.ts';

export type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Node>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Node>> };
};

/** Location of the file in the SDK. */
export const sdkTypesFile = fileURLToPath(new URL('../packages/sdk-js/src/generated/wire.ts', import.meta.url));

export const BASE = '/api/v1';
/** Responses are parsed JSON, in which nothing is undefined. */
const STYLE = { undefinedToo: false };
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
/** The path shape with the organization represents the other one too: body and response are equal. */
const EXPLICIT = `${BASE}/orgs/{orgId}/`;

export const schemaOf = (holder: unknown): Node | null => {
  const content = isNode(holder) ? holder['content'] : null;
  const json = isNode(content) ? content['application/json'] : null;
  const schema = isNode(json) ? json['schema'] : null;
  return isNode(schema) ? schema : null;
};

const answerOf = (operation: Node): string => {
  const responses = isNode(operation['responses']) ? operation['responses'] : {};
  const answers = Object.entries(responses).flatMap(([status, response]) => {
    const schema = /^2\d\d$/.test(status) ? schemaOf(response) : null;
    const data = isNode(schema?.['properties']) ? schema['properties']['data'] : null;
    return isNode(data) ? [typeOf(data, '', STYLE)] : [];
  });
  return either(answers.length > 0 ? answers : ['unknown']);
};

const queryOf = (operation: Node): string => {
  const fields = nodes(operation['parameters']).filter((one) => one['in'] === 'query');
  const properties = Object.fromEntries(fields.map(({ name, schema }) => [String(name), schema]));
  const required = fields.filter((one) => one['required'] === true).map(({ name }) => name);
  return fields.length === 0 ? 'undefined' : typeOf({ type: 'object', properties, required }, '', STYLE);
};

/** One route in its auto-scoped shape. */
export type Described = {
  /** `GET /events`: its method and its path after the base. */
  readonly name: string;
  readonly path: string;
  readonly operation: Node;
  /** It is also served below a path with the organization. */
  readonly hasOrgShape: boolean;
};

/** Every route with a JSON response, once. Throws nothing. */
export const describedRoutes = ({ paths }: Document): Described[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      const isSecondShape = path.startsWith(EXPLICIT) && path.replace(EXPLICIT, `${BASE}/`) in paths;
      if (!operation || isSecondShape) return [];
      const hasOrgShape = path.startsWith(`${BASE}/`) && method in (paths[path.replace(`${BASE}/`, EXPLICIT)] ?? {});
      return [{ name: `${method.toUpperCase()} ${path.replace(BASE, '')}`, path, operation, hasOrgShape }];
    }),
  );

const operationsOf = (document: Document): string[] =>
  describedRoutes(document).map(({ name, operation }) => {
    const body = schemaOf(operation['requestBody']);
    const takes = `readonly body: ${body ? typeOf(body, '', STYLE) : 'undefined'}; readonly query: ${queryOf(operation)};`;
    return `  ${literal(name)}: { ${takes} readonly answer: ${answerOf(operation)} };`;
  });

/**
 * The SDK's types, generated from the API description: a type per schema, and `Operations`, which has the body, the
 * query and the `data` of the response of each route in its auto-scoped shape.
 *
 * @param document the OpenAPI document. Throws nothing.
 */
export const sdkTypes = (document: Document): string => {
  const { schemas } = document.components;
  const types = Object.keys(schemas).map((name) => declarationOf(name, schemas, STYLE));
  return [
    '// Made of the description of the interface by `npm run openapi`.',
    '',
    types.join('\n\n'),
    '',
    '/** Each route: what it takes and what its answer holds. */',
    'export type Operations = {',
    ...operationsOf(document),
    '};',
    '',
  ].join('\n');
};
