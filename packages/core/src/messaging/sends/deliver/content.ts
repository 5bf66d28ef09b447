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
  /** When the link or code in it expires; absent: it has none. */
  readonly expiresAt?: Date | null | undefined;
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

/** Opens the sealed values of a send; null: they cannot be opened. */
export type OpenSealed = (
  send: InScope & { readonly id: string },
  sealed: string,
) => Promise<(Omit<SealedValues, 'expiresAt'> & { readonly expiresAt: Date | null }) | null>;

/** Makes a reader with an empty cache. Throws nothing. */
export const sendContentReader = (
  storage: Pick<Storage, 'select'>,
  hot: SendingStatements,
  openSealed: OpenSealed,
): ReadContents => {
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
      const key = sendKey(row, row.id);
      if (row.sealed === null && row.source === 'auth') {
        // Restored from a backup without secrets: the link or code is gone, so it counts as expired.
        found.set(key, { ...content, expiresAt: new Date(0) });
        continue;
      }
      if (row.sealed === null) {
        found.set(key, content);
        cache.set(key, content);
        continue;
      }
      // Not cached: values in the clear must not outlive the message.
      const values = await openSealed(row, row.sealed);
      if (values === null) continue;
      const { auth, expiresAt } = values;
      found.set(key, { ...content, variables: { ...row.variables, auth }, expiresAt });
    }
    return found;
  };
};
