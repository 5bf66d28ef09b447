// The responses of one operation: successes, and errors by status.

import { catalogue, type ErrorCode } from '@beckon/core';
import type { Route } from '../route.ts';
import type { JsonSchema } from './schemas.ts';

/** The media type of bodies and responses. */
export const CONTENT = 'application/json';

type Responses = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Schemas of the envelopes. */
export const errorSchema: Readonly<Record<string, JsonSchema>> = {
  Pagination: {
    type: 'object',
    properties: {
      limit: { type: 'integer', description: 'Maximum number of entries per page.' },
      hasMore: { type: 'boolean', description: 'Whether another page follows.' },
      nextCursor: { type: ['string', 'null'], description: 'Cursor of the next page; null on the last page.' },
      total: { type: 'integer', description: 'Number of entries in the whole list; only with `count=true`.' },
    },
    required: ['limit', 'hasMore', 'nextCursor'],
  },
  Error: {
    type: 'object',
    properties: {
      success: { const: false, description: 'Always false.' },
      error: {
        type: 'object',
        description: 'What failed.',
        properties: {
          code: { type: 'string', enum: Object.keys(catalogue), description: 'Stable error code.' },
          message: { type: 'string', description: 'What failed, in one sentence.' },
          details: { type: 'object', description: 'More about the error, such as `fieldErrors`.' },
        },
        required: ['code', 'message'],
      },
    },
    required: ['success', 'error'],
  },
  ScimError: {
    type: 'object',
    description: 'An error of SCIM (RFC 7644, 3.12).',
    properties: {
      schemas: { type: 'array', items: { type: 'string' }, description: 'The schema of errors.' },
      status: { type: 'string', description: 'HTTP status as text.' },
      scimType: { type: 'string', description: 'Keyword of the error, such as uniqueness.' },
      detail: { type: 'string', description: 'What failed, in one sentence.' },
    },
    required: ['schemas', 'status', 'detail'],
  },
};

const json = (schema: JsonSchema) => ({ [CONTENT]: { schema } });
const refTo = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });
const REQUEST_ID = { 'X-Request-ID': { schema: { type: 'string' } } };

const succeeded = (data: JsonSchema, more: Readonly<Record<string, JsonSchema>> = {}): JsonSchema => ({
  type: 'object',
  properties: {
    success: { const: true, description: 'Always true.' },
    data: { ...data, description: 'The answer.' },
    ...more,
  },
  required: ['success', 'data', ...Object.keys(more)],
});

const goodOf = ({ answer, method }: Route): Responses => {
  if ('redirect' in answer)
    return {
      [answer.redirect]: { description: 'Where it leads', headers: { Location: { schema: { type: 'string' } } } },
    };
  if ('bytes' in answer) {
    const schema = /json$/.test(answer.bytes) ? { type: 'object' } : {};
    const { status = 200 } = answer;
    const content = method === 'HEAD' || status === 204 ? {} : { content: { [answer.bytes]: { schema } } };
    return { [status]: { description: 'As it is', ...content } };
  }
  if ('page' in answer) {
    const list = { type: 'array', items: refTo(answer.page) };
    const pagination = { ...refTo('Pagination'), description: 'Position of the page in the list.' };
    const content = json(succeeded(list, { pagination }));
    return { 200: { description: 'A page of the list', headers: REQUEST_ID, content } };
  }
  if ('doubled' in answer) {
    const beside = answer.fields.map((name) => [name, { description: `The same as \`data.${name}\`.` }]);
    const content = json(succeeded(refTo(answer.doubled), Object.fromEntries(beside)));
    return { 200: { description: 'Done', headers: REQUEST_ID, content } };
  }
  return Object.fromEntries(
    Object.entries(answer).map(([status, name]) => [
      status,
      {
        description: status === '201' ? 'Created' : 'Done',
        headers: REQUEST_ID,
        content: json(succeeded(refTo(name))),
      },
    ]),
  );
};

const byStatus = (codes: readonly ErrorCode[]) => Map.groupBy(codes, (code) => catalogue[code]);
const nameOf = (codes: readonly ErrorCode[], { method, errorForm }: Route): string =>
  [...codes, ...(method === 'HEAD' ? ['head'] : []), ...(errorForm === undefined ? [] : [errorForm])].join('.');

const SCIM_ERROR = { 'application/scim+json': { schema: refTo('ScimError') } };

const errorAnswer = (status: number, codes: readonly ErrorCode[], { method, errorForm }: Route) => ({
  description: codes.join(', '),
  headers: status === 503 ? { ...REQUEST_ID, 'Retry-After': { schema: { type: 'integer' } } } : REQUEST_ID,
  ...(method === 'HEAD' ? {} : { content: errorForm === 'scim' ? SCIM_ERROR : json(refTo('Error')) }),
});

/** The errors of an operation in `components.responses`, by their names there. Throws nothing. */
export const sharedAnswersOf = (route: Route, codes: readonly ErrorCode[]): Responses => {
  const named = [...byStatus(codes)].map(([status, some]) => [nameOf(some, route), errorAnswer(status, some, route)]);
  return Object.fromEntries(named);
};

/** The possible responses of an operation, successes first. Throws nothing. */
export const answersOf = (route: Route, codes: readonly ErrorCode[]): Responses => {
  const refs = [...byStatus(codes)].map(([status, some]) => [
    status,
    { $ref: `#/components/responses/${nameOf(some, route)}` },
  ]);
  return { ...goodOf(route), ...Object.fromEntries(refs) };
};
