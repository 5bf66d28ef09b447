import { LRUCache } from 'lru-cache';
import type { SelectKey } from '../../../database/statements/bulk.ts';
import type { Storage } from '../../../database/storage.ts';
import type { SendClass } from '../../../foundation/channel.ts';
import { type InScope, scopeKey } from '../../../foundation/scope.ts';
import type { StepRef } from '../finalize/change.ts';
import { sendKey } from '../finalize/counters.ts';
import type { SendRequest } from '../schema.ts';
import type { SendingStatements } from '../statements.ts';
import type { SealedValues } from './sealed.ts';

/** What never changes of a send and every one of its messages needs. */
export type SendContent = {
  readonly content: Readonly<Record<string, unknown>>;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly class: SendClass;
  readonly category: string | null;
  readonly abTestId: string | null;
  /** The step of a run that sent it; null: none. */
  readonly step: StepRef | null;
  /** True for mail that was counted among that of its org as it was asked for; absent: it was not. */
  readonly hasMailPermit?: boolean | undefined;
  /** When the link or code in it expires; absent: it has none. */
  readonly expiresAt?: Date | null | undefined;
};

/** The same of a request that has no row. Throws nothing. */
export const contentOf = (request: SendRequest): SendContent => {
  const { content, variables, class: sendClass, category = null, abTestId = null, hasMailPermit = false } = request;
  return { content, variables, class: sendClass, category, abTestId, step: null, hasMailPermit };
};

/**
 * Reads contents of sends, each once while it is remembered; one statement for all that are not. A send that is gone
 * is missing from the answer, which is keyed by `sendKey`.
 */
export type ReadContents = (
  sends: readonly (InScope & { readonly sendId: string })[],
) => Promise<ReadonlyMap<string, SendContent>>;

/** Sends whose contents are kept, and their characters together; ours: 16 million are at most 32 MB. */
const MAX_KEPT = 500;
const MAX_KEPT_CHARACTERS = 16_000_000;

/** Opens the sealed values of a send; null: they cannot be opened. */
export type OpenSealed = (
  send: InScope & { readonly id: string },
  sealed: string,
) => Promise<(Omit<SealedValues, 'expiresAt'> & { readonly expiresAt: Date | null }) | null>;

/** A reader that remembers nothing yet. Throws nothing. */
export const sendContentReader = (
  storage: Pick<Storage, 'select'>,
  hot: SendingStatements,
  openSealed: OpenSealed,
): ReadContents => {
  const kept = new LRUCache<string, SendContent>({
    max: MAX_KEPT,
    maxSize: MAX_KEPT_CHARACTERS,
    sizeCalculation: (content) => JSON.stringify(content).length,
  });
  return async (sends) => {
    const found = new Map<string, SendContent>();
    const missing = new Map<string, SelectKey>();
    for (const send of sends) {
      const key = sendKey(send, send.sendId);
      const known = kept.get(key);
      if (known) found.set(key, known);
      else missing.set(key, [scopeKey(send), send.sendId]);
    }
    for (const row of await storage.select(hot.sendContents, [...missing.values()])) {
      const { workflowRunId: runId, stepPath: path } = row;
      const step = runId === null || path === null ? null : { runId, path };
      const content = {
        content: row.content,
        variables: row.variables,
        class: row.class,
        category: row.category,
        abTestId: row.abTestId,
        step,
        hasMailPermit: row.hasMailPermit,
      };
      const key = sendKey(row, row.id);
      if (row.sealed === null) {
        found.set(key, content);
        kept.set(key, content);
        continue;
      }
      // Not kept: values in the clear must not outlive the message.
      const values = await openSealed(row, row.sealed);
      if (values === null) continue;
      const { auth, expiresAt } = values;
      found.set(key, { ...content, variables: { ...row.variables, auth }, expiresAt });
    }
    return found;
  };
};
