import type { Answer } from './envelope.ts';

/** What lets pages of any origin read the answer, without credentials. Source: sdk, the beacon contract. */
export const addCors = (headers: Record<string, string>): void => {
  headers['Access-Control-Allow-Origin'] = '*';
  headers['Access-Control-Expose-Headers'] =
    'X-Request-ID, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, Idempotent-Replayed';
  headers['Vary'] = 'Origin';
};

/** The answer to a browser that asks first. It carries no key, so the path alone decides. */
export const preflight: Answer = {
  status: 204,
  headers: {
    'Access-Control-Allow-Headers': 'x-api-key, authorization, content-type, idempotency-key',
    'Access-Control-Allow-Methods': 'GET, POST, PUT, PATCH, DELETE',
    'Access-Control-Max-Age': '600',
  },
  body: '',
};
