import type { InScope, Scope } from '../../foundation/scope.ts';
import { type MakeQueue, queue } from '../../jobs/worker.ts';
import type { Platform } from '../platform.ts';
import type { ErasedPerson, Eraser } from './eraser.ts';
import { erasureEngine, isKnownTo, type Trace } from './erasure.ts';
import type { ErasureTables } from './tables.ts';

/** Erasure of users. Built after every module that stores data of users. */
export const erasureModule = (
  { storage, tables, clock, ids }: Platform<ErasureTables>,
  needs: {
    /** In the order of `ERASER_ORDER`. */
    readonly erasers: readonly Eraser[];
    /** A user is known if any of them returns true. */
    readonly traces: readonly Trace[];
    readonly describe: (scope: InScope, userId: string) => Promise<ErasedPerson>;
  },
) => {
  const { erasers, traces, describe } = needs;
  const isKnown: (scope: Scope, userId: string) => Promise<boolean> = (scope, userId) =>
    isKnownTo(traces, scope, userId);
  const { api, registration } = erasureEngine({ storage, tables, clock, ids, erasers, describe, isKnown });
  return {
    name: 'erasure',
    api,
    queues: [(options) => queue(options, registration)] satisfies readonly MakeQueue[],
  };
};
