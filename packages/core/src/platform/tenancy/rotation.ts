// Rotates the master key in repeatable steps: every organization gets a new data key and its old ones are wrapped with
// the first master key, then every value is sealed with the new one. Each step is one conditional write on the stored
// state, so a killed or concurrent rotation can be resumed. Nothing is unreadable in between: both master keys are
// configured, and no data key is deleted.

import { UnreadableSecret } from '../../foundation/secrets.ts';
import type { MasterKeyRotation, RotateOptions } from './api.ts';
import type { KeyRotation, SecretPlace } from './keyring.ts';

/** One sealed value at rest. */
export type SealedValue = {
  readonly place: SecretPlace;
  readonly sealed: string;
  /** Stores the value sealed again, unless it was changed meanwhile. */
  replace(next: string): Promise<void>;
};

/** All sealed values of one module. */
export type SealedValues = {
  /** Number of rows, for progress. */
  count(): Promise<number>;
  batches(size: number): AsyncIterable<readonly SealedValue[]>;
};

/** Rows per read. Chosen. */
const BATCH = 200;
/** Passes over all data keys; keys created meanwhile with an older master key are found in the next pass. Chosen. */
const MAX_PASSES = 3;

/** Wraps and seals everything with the first master key. Throws WrongMasterKey and errors of the database. */
export const rotateMasterKey = async (
  { keys, values }: { readonly keys: KeyRotation; readonly values: readonly SealedValues[] },
  { onProgress }: RotateOptions = {},
): Promise<MasterKeyRotation> => {
  const result = { dataKeys: 0, values: 0, unreadable: 0 };
  const counts = await Promise.all([keys.left(), ...values.map((one) => one.count())]);
  const total = counts.reduce((sum, count) => sum + count, 0);
  let done = 0;
  const advance = (by: number): void => {
    done = Math.min(total, done + by);
    onProgress?.({ done, of: total });
  };

  const rewrapAll = async (): Promise<void> => {
    let after = '';
    for (;;) {
      const orgs = await keys.orgsLeft(after, BATCH);
      if (orgs.length === 0) return;
      for (const orgId of orgs) {
        const rewrapped = await keys.rewrap(orgId);
        result.dataKeys += rewrapped;
        advance(rewrapped);
        after = orgId;
      }
    }
  };
  const reseal = async ({ place, sealed, replace }: SealedValue): Promise<void> => {
    try {
      const next = await keys.reseal(place, sealed);
      if (next === null) return;
      await replace(next);
      result.values += 1;
    } catch (error) {
      // It was unreadable before, too; its data key stays, so skipping it loses nothing.
      if (!(error instanceof UnreadableSecret)) throw error;
      result.unreadable += 1;
    }
  };

  for (let pass = 1; pass <= MAX_PASSES && (await keys.left()) > 0; pass += 1) await rewrapAll();
  for (const source of values)
    for await (const batch of source.batches(BATCH)) {
      for (const value of batch) await reseal(value);
      advance(new Set(batch.map(({ place }) => JSON.stringify({ ...place, column: '' }))).size);
    }
  return { ...result, left: await keys.left() };
};
