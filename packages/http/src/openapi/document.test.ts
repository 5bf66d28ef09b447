import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, it } from 'vitest';
import { fakeBeckon } from '../../test/support/fake-beckon.ts';
import { openApiFile, openApiText } from '../../test/support/openapi/kept.ts';
import { makeValidator } from '../../test/support/openapi/validator.ts';
import { createHandler } from '../create-handler.ts';
import { pathsOf } from '../paths.ts';
import { routes } from '../route-table.ts';
import { type Document, documentOf } from './document.ts';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every property of the schemas in a document's responses, as `Schema.path`, with its description. */
const answerProperties = ({ paths, components }: Document): Map<string, unknown> => {
  const found = new Map<string, unknown>();
  const reached = new Set<string>();
  const visit = (value: unknown, path: string): void => {
    if (Array.isArray(value)) for (const one of value) visit(one, path);
    if (!isObject(value)) return;
    const [, name] = /^#\/components\/schemas\/(\w+)$/.exec(String(value['$ref'])) ?? [];
    if (name !== undefined && !reached.has(name)) {
      reached.add(name);
      visit(components.schemas[name], name);
    }
    const { properties, enum: _enum, const: _const, default: _default, examples: _examples, ...rest } = value;
    for (const [key, property] of Object.entries(isObject(properties) ? properties : {})) {
      found.set(`${path}.${key}`, isObject(property) ? property['description'] : undefined);
      visit(property, `${path}.${key}`);
    }
    for (const inner of Object.values(rest)) visit(inner, path);
  };
  for (const methods of Object.values(paths))
    for (const { responses } of Object.values(methods)) visit(Object.values(responses), 'answer');
  visit(components['responses'], 'answer');
  return found;
};

const document = documentOf(routes, '/api/v1');
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
);
const served = (basePath: string) =>
  routes.flatMap((route) => pathsOf(route, basePath).map((path) => `${route.method} ${path}`)).sort();
const described = (paths: object) =>
  Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
    )
    .sort();

describe('OpenAPI document', () => {
  it('the OpenAPI document equals the file in the repository', () => {
    // `npm run openapi` writes the file.
    expect(readFileSync(openApiFile, 'utf8') === openApiText()).toBe(true);
  });

  it('the OpenAPI document passes the linter', async () => {
    const config = await createConfig({
      extends: ['recommended-strict'],
      rules: {
        // The router prefers a word to a parameter if both match.
        'no-ambiguous-paths': 'off',
        // A link of an email answers 302 on success.
        'operation-2xx-response': 'off',
      },
    });
    const problems = await lintFromString({ source: openApiText(), config });
    expect(
      problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ''}`),
    ).toEqual([]);
  });

  it('the OpenAPI document contains exactly the served routes, in both path shapes', () => {
    expect(described(document.paths)).toEqual(served('/api/v1'));
    expect(described(documentOf(routes, '/other/base').paths)).toEqual(served('/other/base'));
  });

  it('the OpenAPI document gives scope, kind, body cap and body of each route', () => {
    for (const route of routes) {
      for (const path of pathsOf(route, '/api/v1')) {
        const operation = document.paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[route.method.toLowerCase()];
        const cap = route.needs === 'nothing' ? (route.formCap ?? route.bodyCap ?? null) : route.bodyCap;
        expect(operation?.['x-scope'] ?? null, path).toBe(route.scope);
        expect(operation?.['x-rate-kind']).toBe(route.kind);
        expect(operation?.['x-max-body-bytes'] ?? null, path).toBe(cap);
        expect(operation?.requestBody !== undefined, `${route.method} ${path} says what it takes`).toBe(cap !== null);
      }
    }
  });

  it('the OpenAPI document gives the required plan feature of exactly the routes that need one', () => {
    const planOf = (method: string, path: string): string | undefined => {
      const isSaved = method === 'POST' ? path === '/automation/workflows' : path === '/automation/workflows/:id';
      if (isSaved && (method === 'POST' || method === 'PATCH')) return 'fields of the body';
      if (/^\/(push|email|sms)\/send(-to-audience)?$/.test(path)) return 'fields of the body';
      if (/^\/auth-service\/sso\//.test(path)) return /\/(callback|acs|metadata)$/.test(path) ? undefined : 'sso';
      if (path.startsWith('/auth-service/jwt-template')) return 'jwtClaims';
      if (/^\/push\/geofences/.test(path)) return 'geofences';
      if (/^\/push\/live-activities/.test(path)) return 'liveActivities';
      if (/^\/automation\/workflows\/(export|import)$/.test(path)) return 'workflowBundles';
      if (/^\/auth-service\/scim\/(?:directories|tokens)/.test(path)) {
        return method === 'POST' || method === 'PATCH' ? 'scim' : undefined;
      }
      const [, , room] = path.split('/');
      return { templates: 'templates', 'ab-tests': 'abTests' }[room ?? ''];
    };
    for (const route of routes) {
      const plan = route.needs === 'nothing' ? undefined : route.plan;
      expect(typeof plan === 'object' ? 'fields of the body' : plan, `${route.method} ${route.path}`).toBe(
        planOf(route.method, route.path),
      );
    }
    expect(document.paths['/api/v1/sms/send']?.['post']?.['x-plan']).toEqual({
      audienceId: 'audienceSends',
      scheduledFor: 'scheduledSends',
      abTestId: 'abTests',
      templateId: 'templates',
    });
  });

  it('every property of a response has a description', () => {
    const properties = [...answerProperties(document)];
    expect(properties.length).toBeGreaterThan(1_000);
    expect(properties.flatMap(([path, text]) => (typeof text === 'string' && text !== '' ? [] : [path]))).toEqual([]);
  });

  it('each operation has its own name', () => {
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length);
  });

  it('the OpenAPI document is served without a key and envelope, with the paths of its handler', async () => {
    for (const basePath of ['/api/v1', '/other/base']) {
      const { fetch } = createHandler(fakeBeckon().beckon, { basePath });
      for (const _again of [1, 2]) {
        const answer = await fetch(new Request(`http://test${basePath}/openapi.json`));
        expect(answer.status).toBe(200);
        expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
        expect(await answer.json()).toEqual(JSON.parse(JSON.stringify(documentOf(routes, basePath))));
      }
    }
  });

  it('the response check tells documented responses from others', () => {
    const validator = makeValidator();
    const [erasure] = validator.operations.filter(({ path }) => path === '/api/v1/profiles/erasures/{id}');
    if (!erasure) throw new Error('nothing tells what became of an erasure');
    const id = '01890000-0000-7000-8000-000000000000';
    const data = { id, status: 'done', createdAt: '2026-03-01T12:00:00.000Z', finishedAt: null };
    const problem = (status: number, body: unknown) => validator.answerProblem(erasure, status, JSON.stringify(body));
    expect(problem(200, { success: true, data })).toBe(null);
    const { finishedAt: _gone, ...less } = data;
    for (const other of [{ ...data, more: 1 }, less, { ...data, status: 'over' }, { ...data, createdAt: 'today' }])
      expect(problem(200, { success: true, data: other })).not.toBe(null);
    expect(problem(201, { success: true, data })).not.toBe(null);
    const error = (code: string) => ({ success: false, error: { code, message: 'm' } });
    expect(problem(404, error('NOT_FOUND'))).toBe(null);
    expect(problem(404, error('CONFLICT'))).not.toBe(null);
    expect(problem(409, error('CONFLICT'))).not.toBe(null);
  });
});
