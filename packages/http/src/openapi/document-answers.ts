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
    const schema = answer.bytes === CONTENT ? { type: 'object' } : {};
    const content = method === 'HEAD' ? {} : { content: { [answer.bytes]: { schema } } };
    return { 200: { description: 'As it is', ...content } };
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
const nameOf = (codes: readonly ErrorCode[], hasBody: boolean): string =>
  [...codes, ...(hasBody ? [] : ['head'])].join('.');

const errorAnswer = (status: number, codes: readonly ErrorCode[], hasBody: boolean) => ({
  description: codes.join(', '),
  headers: status === 503 ? { ...REQUEST_ID, 'Retry-After': { schema: { type: 'integer' } } } : REQUEST_ID,
  ...(hasBody ? { content: json(refTo('Error')) } : {}),
});

/** The errors of an operation in `components.responses`, by their names there. Throws nothing. */
export const sharedAnswersOf = (route: Route, codes: readonly ErrorCode[]): Responses => {
  const hasBody = route.method !== 'HEAD';
  const named = [...byStatus(codes)].map(([status, some]) => [
    nameOf(some, hasBody),
    errorAnswer(status, some, hasBody),
  ]);
  return Object.fromEntries(named);
};

/** The possible responses of an operation, successes first. Throws nothing. */
export const answersOf = (route: Route, codes: readonly ErrorCode[]): Responses => {
  const refs = [...byStatus(codes)].map(([status, some]) => [
    status,
    { $ref: `#/components/responses/${nameOf(some, route.method !== 'HEAD')}` },
  ]);
  return { ...goodOf(route), ...Object.fromEntries(refs) };
};
