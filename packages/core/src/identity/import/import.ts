// Users of another system, with their password hashes and second factors.

import { nextTurn } from '../../foundation/contained.ts';
import { fieldErrorsOf, validationError } from '../../foundation/errors.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { AnswerOnce } from '../../platform/idempotency/once.ts';
import type { AuthContext } from '../flow/context.ts';
import { recordAction } from '../flow/record.ts';
import type { UsersImported } from './answers.generated.ts';
import type { UsersImportApi } from './api.ts';
import { importEnvelope } from './bodies.ts';
import type { ImportCall, ImportContributor, ImportProblem } from './contributor.ts';
import { importSlice, prepareSlice, type RowResult } from './plan.ts';
import { type ReadRow, readRow, slicesOf } from './row.ts';

/** Tries of a commit that another import has overtaken. Chosen: each try finds what the other one has written. */
const MAX_TRIES = 3;

const failed = (index: number, problem: ImportProblem): RowResult => ({ index, status: 'failed', error: problem });
const EXISTS: ImportProblem = {
  reason: 'account_exists',
  message: 'id, externalId or email belongs to another user',
};

/** Counts results. Throws nothing. */
const summary = (results: readonly RowResult[]): UsersImported => {
  const of = (status: RowResult['status']): number => results.filter((row) => row.status === status).length;
  return {
    ...{ total: results.length, imported: of('imported'), updated: of('updated'), skipped: of('skipped') },
    ...{ failed: of('failed'), results },
  };
};

export const userImport = (
  context: AuthContext,
  contributors: readonly ImportContributor[],
  answerOnce: AnswerOnce,
): UsersImportApi['import'] => {
  const isUniqueViolation = (error: unknown): boolean => context.storage.dialect.isUniqueViolation(error);

  /** Imports rows in one commit; if a unique column refuses them again and again, one by one. */
  const commitSlice = async (
    scope: Scope,
    slice: readonly ReadRow[],
    more: Parameters<typeof importSlice>[3],
  ): Promise<readonly RowResult[]> => {
    for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
      try {
        return await importSlice(context, scope, slice, more);
      } catch (error) {
        if (!isUniqueViolation(error)) throw error;
      }
    }
    if (slice.length === 1) return slice.map(({ index }) => failed(index, EXISTS));
    const results: RowResult[] = [];
    for (const row of slice) results.push(...(await commitSlice(scope, [row], more)));
    return results;
  };

  return async (scope, input, { actor = 'system', ...options } = {}) => {
    const parsed = importEnvelope.safeParse(input);
    if (!parsed.success) throw validationError(fieldErrorsOf(parsed.error));
    const { users, hashConfig, options: chosen } = parsed.data;
    const call: ImportCall = {
      hashConfig: hashConfig && {
        signerKey: hashConfig.signerKey,
        ...(hashConfig.saltSeparator !== undefined && { saltSeparator: hashConfig.saltSeparator }),
        ...(hashConfig.rounds !== undefined && { rounds: hashConfig.rounds }),
        ...(hashConfig.memoryCost !== undefined && { memoryCost: hashConfig.memoryCost }),
      },
      options: chosen,
    };

    const work = async (): Promise<UsersImported> => {
      const settings = await context.settings.load(scope);
      const results: RowResult[] = [];
      const rows: ReadRow[] = [];
      for (const [index, user] of users.entries()) {
        const read = readRow(contributors, call, user, index);
        if ('problem' in read) results.push(failed(index, read.problem));
        else rows.push(read);
      }
      for (const slice of slicesOf(rows)) {
        await prepareSlice(scope, slice);
        results.push(...(await commitSlice(scope, slice, { call, settings })));
        await nextTurn();
      }
      const answer = summary(results.toSorted((a, b) => a.index - b.index));
      const { results: _, ...detail } = answer;
      await recordAction(context, scope, { actor, action: 'users.import', target: null, result: 'ok', detail });
      return answer;
    };
    return answerOnce(
      scope,
      {
        ...{ operation: 'users.import', input, options },
        // Safe: the stored value is a serialized answer, which contains no dates.
        revive: (stored: unknown) => stored as UsersImported,
      },
      work,
    );
  };
};
