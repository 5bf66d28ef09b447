import { Ajv2020 } from 'ajv/dist/2020.js';
import { type Document, documentOf, type Operation } from '../../../src/openapi/document.ts';
import { routes } from '../../../src/route-table.ts';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Response schemas are open, so that responses may get more members. Here an undocumented member is a fault. */
const closed = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(closed);
  if (!isObject(schema)) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  const isOpen = isObject(schema['properties']) && !('additionalProperties' in schema);
  return isOpen ? { ...inner, additionalProperties: false } : inner;
};

const pointer = (...parts: readonly string[]): string =>
  parts.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');

/** One documented operation. */
export type Documented = { readonly method: string; readonly path: string; readonly operation: Operation };

/** The document, with functions that validate bodies, parameters and responses. */
export const makeValidator = () => {
  // Safe: a document is plain JSON, and this is a copy of it.
  const document = JSON.parse(JSON.stringify(documentOf(routes, '/api/v1'))) as Document;
  const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: false });
  ajv.addFormat('uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/);
  ajv.addFormat('date', /^\d{4}-\d\d-\d\d$/);
  ajv.addSchema(document, 'given');
  // Safe: as above, with more keys in its schemas.
  ajv.addSchema(closed(document) as Document, 'answered');

  // A parameter is the text form of a value.
  const texts = new Ajv2020({ strict: false, validateSchema: false, coerceTypes: true, formats: ajv.formats });
  texts.addSchema(document, 'given');

  const problemOf = (place: string, value: unknown, by = ajv): string | null => {
    const validate = by.getSchema(place);
    if (!validate) return `there is no ${place}`;
    return validate(value) ? null : ajv.errorsText(validate.errors);
  };
  const operations: readonly Documented[] = Object.entries(document.paths)
    // They have a protocol of their own: routes/auth-scim-checks.db.test.ts.
    .filter(([path]) => !path.includes('/auth-service/scim/v2/'))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
    );

  /** Where equal response schemas are, so that each is compiled once. */
  const locations = new Map<string, string>();

  return {
    document,
    operations,
    /** What is wrong with a request body; null: nothing that the schema checks. */
    bodyProblem: (name: string, body: unknown) => problemOf(`given#/components/schemas/${name}`, body),
    /** What is wrong with the value of a parameter. */
    parameterProblem: ({ method, path }: Documented, index: number, value: string) =>
      problemOf(
        `given#/${pointer('paths', path, method.toLowerCase(), 'parameters', String(index), 'schema')}`,
        value,
        texts,
      ),
    /** True if a response of this status is JSON. The document itself is too large for an example. */
    answersJson: ({ path, operation }: Documented, status: number): boolean => {
      const content = operation.responses[String(status)]?.['content'];
      return isObject(content) && isObject(content['application/json']) && !path.endsWith('/openapi.json');
    },
    /** What in a response is undocumented; null: nothing. */
    answerProblem: ({ method, path, operation }: Documented, status: number, body: string): string | null => {
      const answer = operation.responses[String(status)];
      if (!answer) return `${status} is not documented: ${body}`;
      if (status >= 400) {
        const parsed: unknown = method === 'HEAD' ? undefined : JSON.parse(body);
        if (parsed === undefined) return null;
        const wrong = problemOf('answered#/components/schemas/Error', parsed);
        // Safe: the schema guarantees it.
        const { code } = (parsed as { error: { code: (typeof operation)['x-error-codes'][number] } }).error;
        return wrong ?? (operation['x-error-codes'].includes(code) ? null : `${code} is not documented: ${body}`);
      }
      if (!isObject(answer['content']) || !('application/json' in answer['content'])) return null;
      const place = pointer('paths', path, method.toLowerCase(), 'responses', String(status), 'content');
      const given = JSON.stringify(answer['content']['application/json']);
      const compiled = locations.get(given) ?? `answered#/${place}/${pointer('application/json', 'schema')}`;
      locations.set(given, compiled);
      return problemOf(compiled, JSON.parse(body));
    },
  };
};
