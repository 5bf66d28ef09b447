import { describe, expect, it } from 'vitest';
import { makeValidator } from '../../test/support/openapi/validator.ts';

import recordedAnswers from './answer-examples.json' with { type: 'json' };
import { examples } from './examples.ts';

const recorded: Readonly<Record<string, { readonly status: number; readonly value: unknown } | undefined>> =
  recordedAnswers;
const validator = makeValidator();
const { document, operations } = validator;
type Schema = Readonly<Record<string, unknown>>;
const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const nameIn = (ref: unknown): string => String(ref).split('/').at(-1) ?? '';
const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

/** Paths of properties without a description, in a schema and in all schemas that it refers to. */
const undescribedIn = (schema: unknown, at: string, seen: Set<string>): string[] => {
  if (Array.isArray(schema)) return schema.flatMap((one) => undescribedIn(one, at, seen));
  if (!isSchema(schema)) return [];
  if (schema['$ref'] !== undefined) {
    const name = nameIn(schema['$ref']);
    if (seen.has(name)) return [];
    seen.add(name);
    return undescribedIn(document.components.schemas[name], name, seen);
  }
  const properties = isSchema(schema['properties']) ? Object.entries(schema['properties']) : [];
  const within = ['items', 'additionalProperties', 'anyOf', 'oneOf', 'allOf'].flatMap((key) =>
    undescribedIn(schema[key], at, seen),
  );
  return [
    ...properties.flatMap(([name, property]) => [
      ...(isSchema(property) && isText(property['description']) ? [] : [`${at}.${name}`]),
      ...undescribedIn(property, `${at}.${name}`, seen),
    ]),
    ...within,
  ];
};

describe('texts of the OpenAPI document', () => {
  it('every property of a request body has a description', () => {
    const seen = new Set<string>();
    const missing = operations.flatMap(({ method, path, operation }) =>
      Object.values(operation.requestBody?.content ?? {}).flatMap(({ schema }) =>
        undescribedIn(schema, `${method} ${path}`, seen),
      ),
    );
    expect(missing).toEqual([]);
    expect(seen.size).toBeGreaterThan(50);
  });

  it('every path, query and header parameter has a description', () => {
    const parameters = operations.flatMap(({ method, path, operation }) =>
      operation.parameters.map((one) => ({ one, at: `${method} ${path} ${String(one['name'])}` })),
    );
    const shared = Object.entries(document.components).flatMap(([kind, members]) =>
      kind === 'parameters' ? Object.entries(members).map(([at, one]: [string, Schema]) => ({ one, at })) : [],
    );
    const missing = [...parameters, ...shared].filter(
      ({ one }) => one['$ref'] === undefined && !isText(one['description']),
    );
    expect(missing.map(({ at }) => at)).toEqual([]);
  });

  it('every operation has a summary of at most 60 characters and a description', () => {
    for (const { method, path, operation } of operations) {
      const { summary, description } = operation;
      expect(isText(summary) && summary.length <= 60 && /^[A-Z].*[^.]$/.test(summary), `${method} ${path}`).toBe(true);
      expect(isText(description) && description.endsWith('.'), `${method} ${path}`).toBe(true);
    }
  });

  it('every JSON answer has an example that fits its schema', () => {
    const missing: string[] = [];
    for (const one of operations) {
      const id = one.operation.operationId.replace(/InOrg$/, '');
      const example = recorded[id];
      const isShown = Object.keys(one.operation.responses).some(
        (status) => status.startsWith('2') && validator.answersJson(one, Number(status)),
      );
      if (isShown && example === undefined) missing.push(`${one.method} ${one.path}`);
      if (example === undefined) continue;
      const place = `${one.method} ${one.path}`;
      expect(validator.answerProblem(one, example.status, JSON.stringify(example.value)), place).toBe(null);
      expect(JSON.stringify(one.operation.responses[String(example.status)]), place).toContain(`/examples/${id}"`);
    }
    expect(missing).toEqual([]);
    expect(Object.keys(recorded).length).toBeGreaterThan(140);
  });

  it('every request body has an example that fits its schema', () => {
    for (const [name, example] of Object.entries(examples)) {
      expect(validator.bodyProblem(name, example), name).toBe(null);
      expect(document.components.schemas[name]?.['examples'], name).toEqual([JSON.parse(JSON.stringify(example))]);
    }
    const missing = operations.filter(({ operation }) =>
      Object.values(operation.requestBody?.content ?? {}).some(
        ({ schema }) => schema['$ref'] !== undefined && !Object.hasOwn(examples, nameIn(schema['$ref'])),
      ),
    );
    expect(missing.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });
});
