import { createHash } from 'node:crypto';
import { type IdempotencyOptions, validationError } from '@beckon/core';
import type { RequestView } from '../request.ts';
import type { NamedCall, ProjectCall, ProjectRoute } from '../route.ts';
import type { Answer } from './envelope.ts';

/** Says that the answer is the first one to this key. Source: contract, Conventions. */
const REPLAYED = 'Idempotent-Replayed';

/**
 * The name that a request gives itself: header `Idempotency-Key`, on routes that take it. Its body is told by its raw
 * bytes and the query. Routes are named by method and pattern, so that both path shapes are one.
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
  // A query holds no NUL, so the two parts have one boundary.
  const bodyHash = createHash('sha256').update(request.query).update('\0').update(bytes).digest('hex');
  return { key, operation: `${route.method} ${route.path}`, bodyHash };
};

/**
 * Does the work of a call, or answers what its first request with the same key was answered.
 *
 * @param work passes the options on to the engine
 * @throws what `work` throws, among it what IdempotencyOptions of core says
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
