// Tests for delivery. Definitions are cached for some seconds, so a pause applies at once in its process and within
// that time in others. Variants cannot change under a message: before the first message gets a variant, the test is
// marked as assigned, guarded by the version that was read, and from then on its variants are immutable.

import { MAX_TRIES, write } from '../../database/commit/write-set.ts';
import type { Storage } from '../../database/storage.ts';
import { bucketOf, variantsByBucket } from '../../foundation/ab-bucket.ts';
import type { Channel } from '../../foundation/channel.ts';
import type { Clock } from '../../foundation/clock.ts';
import { type InScope, scopeKey, scopeOf } from '../../foundation/scope.ts';
import { sharedCache } from '../../jobs/shared-cache.ts';
import type { SendTests, TestRef, TestsOf, TestView, Variant } from '../sends/deliver/variants.ts';
import { textsIn } from '../templates/texts.ts';
import type { AbTestStatus, StoredVariant } from './schema.ts';
import type { AbTestStatements } from './statements.ts';
import { type TestName, type TestTexts, testKey } from './tested-texts.ts';

const contentOf = ({ key, weight: _, ...fields }: StoredVariant): Variant => ({ key, fields });

/** A test as its messages use it. Pure. */
const viewOfTest = ({
  id,
  status,
  variants,
}: {
  readonly id: string;
  readonly status: AbTestStatus;
  readonly variants: readonly StoredVariant[];
}): TestView => {
  const all = variants.map((variant) => ({ weight: variant.weight, variant: contentOf(variant) }));
  const byBucket = variantsByBucket(all);
  const byKey = new Map(all.map(({ variant }) => [variant.key, variant]));
  return {
    status,
    variantOf: (key) => byKey.get(key) ?? null,
    pick: (subject) => {
      const bucket = bucketOf(id, subject);
      return { bucket, variant: byBucket[bucket]?.variant ?? null };
    },
    texts: all.flatMap(({ variant: { key, fields } }) => [...textsIn(fields, key)].map(({ text }) => text)),
  };
};

/** Cached tests. Chosen: each has at most 256 KB of texts. */
const MAX_TESTS = 200;
/** Topic of test changes. */
export const AB_TESTS_CHANGED = 'ab_tests';

type Held = {
  readonly channel: Channel;
  readonly version: number;
  readonly isAssigned: boolean;
  readonly view: TestView;
};

const nameOf = (ref: TestRef): string => `${scopeKey(ref)}/${ref.abTestId}`;

/** Functions for other modules, on a cache of this process. */
export type AbTestReader = SendTests & {
  /** The variant fields of these tests, as far as they exist; one statement. */
  textsOf(scope: InScope, names: readonly TestName[]): Promise<ReadonlyMap<string, TestTexts>>;
  /** Call it after a write that may have been committed: all processes clear their caches. */
  changed(): void;
  close(): void;
};

/** Makes the cached reader of tests. */
export const abTestReader = ({
  storage,
  hot,
  clock,
}: {
  readonly storage: Pick<Storage, 'select' | 'commit' | 'outsideTransaction' | 'wake'>;
  readonly hot: AbTestStatements;
  readonly clock: Clock;
}): AbTestReader => {
  const cache = sharedCache<TestRef, Held | null>({
    storage,
    clock,
    topic: AB_TESTS_CHANGED,
    nameOf,
    read: async (refs) => {
      const rows = await storage.select(
        hot.byId,
        refs.map((ref) => [scopeKey(ref), ref.abTestId]),
      );
      const found = new Map(
        rows.map((row): [string, Held] => {
          const { id: abTestId, channel, version, assignedAt } = row;
          const held = { channel, version, isAssigned: assignedAt !== null, view: viewOfTest(row) };
          return [nameOf({ ...scopeOf(row), abTestId }), held];
        }),
      );
      return (ref) => found.get(nameOf(ref)) ?? null;
    },
    maxEntries: MAX_TESTS,
  });

  const viewsOf =
    (of: (ref: TestRef) => Held | null): TestsOf =>
    ({ channel, ...ref }) => {
      const test = of(ref);
      return test?.channel === channel ? test.view : null;
    };

  /** False if its variants changed meanwhile. */
  const mark = async (ref: TestRef, { version }: Held): Promise<boolean> => {
    const row = { ...scopeOf(ref), id: ref.abTestId, version, assignedAt: clock.now() };
    const { ok } = await storage.commit({ writes: [write(hot.assign, row, nameOf(ref))] });
    cache.forget(ref);
    return ok;
  };

  const load: SendTests['load'] = async (refs) => viewsOf(await cache.load(refs));

  const loadToAssign: SendTests['loadToAssign'] = async (refs) => {
    for (let tries = 1; ; tries += 1) {
      const of = await cache.load(refs);
      const open = refs.flatMap((ref) => {
        const test = of(ref);
        return test !== null && test.view.status === 'running' && !test.isAssigned ? [{ ref, test }] : [];
      });
      const marked = await Promise.all(open.map(({ ref, test }) => mark(ref, test)));
      // Marked tests were read before they were marked and are immutable since.
      if (marked.every(Boolean)) return viewsOf(of);
      if (tries >= MAX_TRIES) throw new Error('a test changes faster than its first message is sent');
    }
  };

  return {
    exists: async (scope, channel, abTestId) => {
      const [row] = await storage.select(hot.byId, [[scopeKey(scope), abTestId]]);
      return row?.channel === channel;
    },
    load,
    loadToAssign,
    textsOf: async (scope, names) => {
      const ids = [...new Set(names.map(({ abTestId }) => abTestId))];
      const rows = await storage.select(
        hot.byId,
        ids.map((id) => [scopeKey(scope), id]),
      );
      return new Map(
        rows.map(({ id: abTestId, channel, variants }) => [
          testKey({ channel, abTestId }),
          new Map(variants.map(({ key, weight: _, ...says }) => [key, new Set(Object.keys(says))])),
        ]),
      );
    },
    changed: cache.changed,
    close: cache.close,
  };
};
