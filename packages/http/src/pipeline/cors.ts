import type { Answer } from './envelope.ts';

/** Lets pages of any origin read the response, without credentials. Source: sdk, the beacon contract. */
export const addCors = (headers: Record<string, string>): void => {
  headers['Access-Control-Allow-Origin'] = '*';
  headers['Access-Control-Expose-Headers'] =
    'X-Request-ID, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, Idempotent-Replayed';
  headers['Vary'] = 'Origin';
};

/** The response to a preflight. A preflight has no key, so the path alone decides. */
export const preflight: Answer = {
  status: 204,
  headers: {
    'Access-Control-Allow-Headers': 'x-api-key, authorization, content-type, idempotency-key',
    'Access-Control-Allow-Methods': 'GET, POST, PUT, PATCH, DELETE',
    'Access-Control-Max-Age': '600',
  },
  body: '',
};
