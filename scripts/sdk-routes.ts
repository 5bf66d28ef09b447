import { fileURLToPath } from 'node:url';
import { isNode, literal, nodes } from './schema-types.ts';
import { BASE, type Described, type Document, describedRoutes, schemaOf } from './sdk-types.ts';

/** Location of the file in the SDK. */
export const sdkRoutesFile = fileURLToPath(new URL('../packages/sdk-js/src/generated/routes.ts', import.meta.url));

const refersTo = ({ operation }: Described, parameter: string): boolean =>
  nodes(operation['parameters']).some(({ $ref: ref }) => ref === `#/components/parameters/${parameter}`);

const answers = ({ operation }: Described, member: string): boolean => {
  const responses = isNode(operation['responses']) ? operation['responses'] : {};
  return Object.entries(responses).some(([status, response]) => {
    const properties = /^2\d\d$/.test(status) ? schemaOf(response)?.['properties'] : null;
    return isNode(properties) && member in properties;
  });
};

const traits: readonly (readonly [name: string, holds: (route: Described) => boolean])[] = [
  ['org', ({ hasOrgShape }) => hasOrgShape],
  ['project', (route) => refersTo(route, 'projectId')],
  ['key', (route) => refersTo(route, 'idempotencyKey')],
  ['body', ({ operation }) => schemaOf(operation['requestBody']) !== null],
  ['pages', (route) => answers(route, 'pagination')],
  ['bare', (route) => !answers(route, 'data')],
  ['root', ({ path }) => !path.startsWith(`${BASE}/`)],
];

/**
 * What the client needs to know of each route to call it, generated from the API description.
 *
 * @param document the OpenAPI document. Throws nothing.
 */
export const sdkRoutes = (document: Document): string => {
  const lines = describedRoutes(document).map((route) => {
    const held = traits.filter(([, holds]) => holds(route)).map(([name]) => literal(name));
    return `  ${literal(route.name)}: [${held.join(', ')}],`;
  });
  return [
    '// Made of the description of the interface by `npm run openapi`.',
    '',
    '/**',
    ' * Each route in its auto-scoped shape, and what is true of it. `org`: also served below a path that names its org.',
    ' * `project`: may name its project. `key`: takes an idempotency key. `body`: takes a body. `pages`: answers pages.',
    ' * `bare`: answers without the envelope. `root`: is not below the base.',
    ' */',
    'export const routes = {',
    ...lines,
    '} as const;',
    '',
  ].join('\n');
};
