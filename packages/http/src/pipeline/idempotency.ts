import { createHash } from 'node:crypto';
import { type IdempotencyOptions, validationError } from '@beckon/core';
import type { RequestView } from '../request.ts';
import type { NamedCall, ProjectCall, ProjectRoute } from '../route.ts';
import type { Answer } from './envelope.ts';

/** Marks a replay of the first response to this key. Source: contract, Conventions. */
const REPLAYED = 'Idempotent-Replayed';

/**
 * The header `Idempotency-Key`, on routes that take it. A request is identified by the raw bytes of its body and its
 * query.
 * Routes are named by method and pattern, so both path shapes are one.
 *
 * @throws BeckonError VALIDATION_ERROR for an empty key; the engine checks the rest
 */
export const idempotencyOf = (
  request: Pick<RequestView, 'header' | 'query'>,
  route: ProjectRoute,
  bytes: Uint8Array,
): NamedCall | null => {
  const key = route.isIdempotent ? request.header('idempotency-key') : undefined;
  if (key === undefined) return null;
  if (key === '') throw validationError({ 'Idempotency-Key': ['must not be empty'] });
  // A query holds no NUL, so the two parts have an unambiguous boundary.
  const bodyHash = createHash('sha256').update(request.query).update('\0').update(bytes).digest('hex');
  return { key, operation: `${route.method} ${route.path}`, bodyHash };
};

/**
 * Does the work of a call, or returns the response of the first request with the same key.
 *
 * @param work passes the options on to the engine
 * @throws what `work` throws, including the errors of core's IdempotencyOptions
 */
export const onceOnly = async <T>(
  { idempotency }: ProjectCall,
  work: (options: IdempotencyOptions) => Promise<T>,
  answerOf: (data: T) => Answer,
): Promise<Answer> => {
  if (idempotency === null) return answerOf(await work({}));
  const { key, ...request } = idempotency;
  let isReplayed = false;
  const onReplayed = (): void => {
    isReplayed = true;
  };
  const answer = answerOf(await work({ idempotencyKey: key, adapter: { ...request, onReplayed } }));
  return isReplayed ? { ...answer, headers: { ...answer.headers, [REPLAYED]: 'true' } } : answer;
};
