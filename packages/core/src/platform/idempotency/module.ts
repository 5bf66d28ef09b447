import type { Platform } from '../platform.ts';
import { idempotencyEngine } from './idempotency.ts';
import type { AnswerOnce } from './once.ts';
import type { IdempotencyTables } from './tables.ts';

/** Functions for other modules. */
export type IdempotencyKeys = { readonly answerOnce: AnswerOnce };

/** Requests with an idempotency key. Depends on no other module. */
export const idempotencyModule = (platform: Platform<IdempotencyTables>) => {
  const { answerOnce, eraser, sweep } = idempotencyEngine(platform);
  return {
    name: 'idempotency',
    erasers: [eraser],
    maintenance: [{ name: 'idempotency keys', run: sweep }],
    internal: { answerOnce } satisfies IdempotencyKeys,
  };
};
