import type { Storage } from '../../database/storage.ts';
import type { Channel } from '../../foundation/channel.ts';
import type { Clock } from '../../foundation/clock.ts';
import { compact } from '../../foundation/compact.ts';
import { conflict, notFound, validationError } from '../../foundation/errors.ts';
import { stableJson } from '../../foundation/hash.ts';
import type { Ids } from '../../foundation/ids.ts';
import { decodeCursor, pageLimit, pageOf } from '../../foundation/page.ts';
import { type Scope, scopeKey, scopeOf } from '../../foundation/scope.ts';
import type { Sending } from '../sends/sending.ts';
import type { AbTest, AbTestStats } from './answers.generated.ts';
import type { AbTestsApi } from './api.ts';
import type { AbTestReader } from './messages.ts';
import {
  AB_TEST_STATUSES,
  parseAbTest,
  parseAbTestPatch,
  parseComplete,
  type StoredVariant,
  type TestPatch,
} from './schema.ts';
import { figuresOf } from './stats/stats.ts';
import { tallying } from './stats/tally.ts';
import { abTestStore, type StoredTest } from './store.ts';
import type { AbTestTables } from './tables.ts';

/** Maximum messages read for statistics, and per read. Chosen: about 10 s on a small machine, in short slices. */
const MAX_MESSAGES = 500_000;
const PAGE = 250;

/** Dependencies of this module's functions. `module.ts` builds it once. */
export type AbTestsContext = {
  readonly storage: Storage;
  readonly tables: AbTestTables;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Invalidated by each change. */
  readonly reader: Pick<AbTestReader, 'changed'>;
  /** Messages with variants. */
  readonly variants: Pick<Sending['variants'], 'page' | 'counts'>;
};

const viewOf = ({ orgId, projectId, environment }: Scope, row: StoredTest): AbTest => ({
  id: row.id,
  orgId,
  projectId,
  environment,
  name: row.name,
  channel: row.channel,
  status: row.status,
  variants: row.variants,
  metric: row.metric,
  winnerKey: row.winnerKey,
  assignedAt: row.assignedAt,
  startedAt: row.startedAt,
  completedAt: row.completedAt,
  updatedAt: row.updatedAt,
});

const checkWinner = (variants: readonly StoredVariant[], winnerKey: string | undefined): void => {
  if (winnerKey !== undefined && !variants.some(({ key }) => key === winnerKey))
    throw validationError({ winnerKey: ['must be the key of a variant of the test'] });
};

/** A/B tests, as projects define and read them. Contract: AbTestsApi. */
export const abTestsApi = ({ storage, tables, clock, ids, reader, variants: assigned }: AbTestsContext): AbTestsApi => {
  const { page, counts } = assigned;
  const store = abTestStore({ db: storage.db, tables });

  const known = async (scope: Scope, channel: Channel, id: string): Promise<StoredTest> => {
    const row = await store.get(scope, channel, id);
    if (!row) throw notFound('A/B test with this id', scope);
    return row;
  };

  const isOther = (row: StoredTest, { variants, metric }: TestPatch): boolean =>
    (variants !== undefined && stableJson(variants) !== stableJson(row.variants)) ||
    (metric !== undefined && stableJson(metric) !== stableJson(row.metric));

  const change = async (scope: Scope, channel: Channel, id: string, patch: TestPatch): Promise<StoredTest> => {
    const row = await known(scope, channel, id);
    const { name, status, variants = row.variants, metric = row.metric, winnerKey } = patch;
    checkWinner(variants, winnerKey);
    const isOfVariants = isOther(row, patch);
    const now = clock.now();
    // Columns that the change does not name are not written, so concurrent changes of them survive.
    const set = {
      ...compact({ name, status }),
      ...(status === 'completed' ? { winnerKey: winnerKey ?? null, completedAt: now } : {}),
      ...(isOfVariants ? { variants, metric, eventType: metric.eventType ?? null } : {}),
      updatedAt: now,
    };
    try {
      const changed = await store.change(scope, channel, id, set, isOfVariants);
      if (changed) return changed;
    } finally {
      reader.changed();
    }
    const { status: is } = await known(scope, channel, id);
    throw conflict(is === 'completed' ? 'final' : 'immutable');
  };

  return {
    create: async (scope, channel, body) => {
      const test = parseAbTest(channel, body);
      const now = clock.now();
      const row: StoredTest = {
        ...scopeOf(scope),
        ...test,
        eventType: test.metric.eventType ?? null,
        id: ids.next(),
        channel,
        status: 'running',
        winnerKey: null,
        version: 1,
        assignedAt: null,
        startedAt: now,
        completedAt: null,
        updatedAt: now,
      };
      await store.insert(row);
      reader.changed();
      return viewOf(scope, row);
    },

    list: async (scope, channel, query = {}) => {
      const { status = null } = query;
      if (status !== null && !AB_TEST_STATUSES.includes(status))
        throw validationError({ status: [`must be one of ${AB_TEST_STATUSES.join(', ')}`] });
      const binding = stableJson(['ab-tests', scopeKey(scope), channel, status]);
      const limit = pageLimit(query.limit);
      const after = query.cursor === undefined ? null : decodeCursor(binding, query.cursor);
      const [rows, total] = await Promise.all([
        store.page(scope, channel, status, { after, limit: limit + 1 }),
        query.count === true ? store.count(scope, channel, status) : undefined,
      ]);
      const views = rows.map((row) => viewOf(scope, row));
      return pageOf(views, limit, ({ id }) => id, binding, total);
    },

    get: async (scope, channel, id) => viewOf(scope, await known(scope, channel, id)),

    update: async (scope, channel, id, body) =>
      viewOf(scope, await change(scope, channel, id, parseAbTestPatch(channel, body))),

    complete: async (scope, channel, id, body) =>
      viewOf(scope, await change(scope, channel, id, { ...parseComplete(body), status: 'completed' })),

    stats: async (scope, channel, id): Promise<AbTestStats> => {
      const { variants, metric, status } = await known(scope, channel, id);
      const updatedAt = clock.now();
      const tally = tallying(variants, metric);
      let last: Awaited<ReturnType<typeof page>>[number] | null = null;
      let isPartial = true;
      for (let read = 0; read < MAX_MESSAGES; read += PAGE) {
        const some: Awaited<ReturnType<typeof page>> = await page(scope, id, last, PAGE);
        tally.add(some);
        last = some.at(-1) ?? last;
        isPartial = some.length === PAGE;
        if (!isPartial) break;
      }
      const figures = figuresOf(tally.result(await counts(scope, id)));
      return { id, status, metric, ...figures, isPartial, updatedAt };
    },
  };
};
