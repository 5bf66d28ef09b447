import { createHash } from 'node:crypto';
import { type Beckon, type IdempotencyRequest, type Once, validationError } from '@beckon/core';
import type { RequestView } from '../request.ts';
import type { ProjectCall, ProjectRoute } from '../route.ts';
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
): IdempotencyRequest | null => {
  const key = route.isIdempotent ? request.header('idempotency-key') : undefined;
  if (key === undefined) return null;
  if (key === '') throw validationError({ 'Idempotency-Key': ['must not be empty'] });
  // A query holds no NUL, so the two parts have one boundary.
  const bodyHash = createHash('sha256').update(request.query).update('\0').update(bytes).digest('hex');
  return { key, route: `${route.method} ${route.path}`, bodyHash };
};

/**
 * Does the work of a call, or answers what its first request with the same key was answered.
 *
 * @param work passes `once` on where its engine can write the answer together with what it creates
 * @throws what `work` throws; BeckonError VALIDATION_ERROR, CONFLICT as `idempotency.run`
 */
export const onceOnly = async <T>(
  beckon: Beckon,
  { scope, idempotency }: ProjectCall,
  work: (once: Once | undefined) => Promise<T>,
  answerOf: (data: unknown) => Answer,
): Promise<Answer> => {
  if (idempotency === null) return answerOf(await work(undefined));
  const { isReplayed, answer } = await beckon.idempotency.run(scope, idempotency, work);
  const told = answerOf(answer);
  return isReplayed ? { ...told, headers: { ...told.headers, [REPLAYED]: 'true' } } : told;
};
