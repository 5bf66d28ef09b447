import { LRUCache } from 'lru-cache';
import type { SelectKey } from '../../../database/statements/bulk.ts';
import type { Storage } from '../../../database/storage.ts';
import type { SendClass } from '../../../foundation/channel.ts';
import { type InScope, scopeKey } from '../../../foundation/scope.ts';
import type { StepRef } from '../finalize/change.ts';
import { sendKey } from '../finalize/counters.ts';
import type { SendRequest } from '../schema.ts';
import type { SendingStatements } from '../statements.ts';

/** The immutable part of a send that each of its messages needs. */
export type SendContent = {
  readonly content: Readonly<Record<string, unknown>>;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly class: SendClass;
  readonly category: string | null;
  readonly abTestId: string | null;
  /** The workflow step that sent it; null: none. */
  readonly step: StepRef | null;
  /** True for email already counted against the organization's limit at acceptance; absent: not counted. */
  readonly hasMailPermit?: boolean | undefined;
};

/** The same for a request without a row. Throws nothing. */
export const contentOf = (request: SendRequest): SendContent => {
  const { content, variables, class: sendClass, category = null, abTestId = null, hasMailPermit = false } = request;
  return { content, variables, class: sendClass, category, abTestId, step: null, hasMailPermit };
};

/**
 * Reads send contents through a cache, with one statement for all that are missing. The result is keyed by `sendKey`;
 * deleted sends are absent.
 */
export type ReadContents = (
  sends: readonly (InScope & { readonly sendId: string })[],
) => Promise<ReadonlyMap<string, SendContent>>;

/** Cache limits: sends, and characters of their contents. Chosen: 16 million characters are at most 32 MB. */
const MAX_CACHED_SENDS = 500;
const MAX_CACHED_CHARACTERS = 16_000_000;

/** Makes a reader with an empty cache. Throws nothing. */
export const sendContentReader = (storage: Pick<Storage, 'select'>, hot: SendingStatements): ReadContents => {
  const cache = new LRUCache<string, SendContent>({
    max: MAX_CACHED_SENDS,
    maxSize: MAX_CACHED_CHARACTERS,
    sizeCalculation: (content) => JSON.stringify(content).length,
  });
  return async (sends) => {
    const found = new Map<string, SendContent>();
    const missing = new Map<string, SelectKey>();
    for (const send of sends) {
      const key = sendKey(send, send.sendId);
      const cached = cache.get(key);
      if (cached) found.set(key, cached);
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
      found.set(sendKey(row, row.id), content);
      cache.set(sendKey(row, row.id), content);
    }
    return found;
  };
};
