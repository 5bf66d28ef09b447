import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import type { Storage } from '../../database/storage.ts';
import type { Clock } from '../../foundation/clock.ts';
import { BeckonError, isBeckonError, notFound } from '../../foundation/errors.ts';
import type { MaintenanceTask } from '../../jobs/maintenance.ts';
import type { LimitsApi } from './api.ts';
import { perMinute, perMinuteOf, rateText } from './call-rates.ts';
import { type CallOptions, callLimits } from './calls.ts';
import { exchange } from './exchange.ts';
import { decide, decideUpTo, type Rate } from './gcra.ts';
import type { MailPermits } from './mail-permits.ts';
import { callRates, type OfPlans } from './org-rates.ts';
import { callBucketStore, limitStore } from './store.ts';
import type { LimitTables } from './tables.ts';

/** Rows deleted per piece of maintenance. Chosen. */
const MOST_AT_ONCE = 1_000;

const digestOf = (key: string): string => createHash('sha256').update(key).digest('base64url');

/** Call buckets shared by all processes of a database, by its clock, since their clocks may differ. */
const sharedBuckets = ({
  storage,
  tables,
}: {
  readonly storage: Pick<Storage, 'db' | 'now'>;
  readonly tables: LimitTables;
}) => {
  const store = callBucketStore({ db: storage.db, tables });
  const databaseNowUs = async (): Promise<number> => (await storage.now()).getTime() * 1_000;
  return {
    open: (nowUs: () => number) =>
      exchange({
        nowUs,
        sync: async (deltas) =>
          store.swap(
            deltas.map((one) => ({ ...one, digest: digestOf(one.key) })),
            await databaseNowUs(),
          ),
      }),
    sweep: async (): Promise<boolean> => (await store.removeFull(await databaseNowUs(), MOST_AT_ONCE)) === MOST_AT_ONCE,
  };
};

/** Requests to send email. Source: semantics, Rate limits, Email sends. */
const MAILS_A_MINUTE = 60;
const PROBATION: Rate = { periodUs: 6_000_000, burst: 10 };
/** Tries of a take: another process may change the bucket or the flag, and the row may not exist yet. Chosen. */
const MAX_TAKE_TRIES = 3;
/**
 * Tries of a take of several permits: each failure means that another process took some. Chosen: more than there are
 * workers.
 */
const MAX_MOVE_TRIES = 20;

const limited = (waitUs: number, rate: Rate): BeckonError => {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitUs / 1_000_000));
  return new BeckonError(
    'RATE_LIMITED',
    `Email rate limit of this organization exceeded: ${rateText(rate)}. Retry in ${retryAfterSeconds} s.`,
    { details: { retryAfterSeconds, limit: rate.burst, perMinute: perMinuteOf(rate), reason: 'email_sends' } },
  );
};

export type Limits = {
  readonly api: LimitsApi;
  /** True within a counted request to send email. */
  readonly hasMailPermit: () => boolean;
  /** For email that was not counted as a request. */
  readonly mailPermits: MailPermits;
  readonly maintenance: readonly MaintenanceTask[];
  close(): void;
};

/** Dependencies on other modules, and options of the deployment. */
export type LimitNeeds = {
  readonly isOrg: (orgId: string) => Promise<boolean>;
  readonly plans: OfPlans;
  /** For organizations that are not on probation. Default 60. */
  readonly mailsPerMinute?: number | undefined;
  readonly calls?: CallOptions | undefined;
};

export const limitsEngine = ({
  storage,
  tables,
  clock,
  isOrg,
  plans,
  mailsPerMinute = MAILS_A_MINUTE,
  calls: options,
}: LimitNeeds & {
  readonly storage: Pick<Storage, 'db' | 'dialect' | 'now' | 'outsideTransaction' | 'wake'>;
  readonly tables: LimitTables;
  readonly clock: Clock;
}): Limits => {
  const defaultRate = perMinute(mailsPerMinute);
  const rateOf = (isProbation: boolean): Rate => (isProbation ? PROBATION : defaultRate);
  const counted = new AsyncLocalStorage<true>();
  const store = limitStore({ db: storage.db, tables });

  /** Takes one permit and returns its rate. Throws RATE_LIMITED. */
  const take = async (orgId: string): Promise<Rate> => {
    let rate = defaultRate;
    for (let attempt = 0; attempt < MAX_TAKE_TRIES; attempt += 1) {
      const nowUs = clock.now().getTime() * 1_000;
      const row = await store.get(orgId);
      if (!row) {
        await store.make(orgId);
        continue;
      }
      rate = rateOf(row.isProbation);
      if (await store.take(orgId, row.isProbation, nowUs, rate)) return rate;
      const result = decide((await store.get(orgId))?.tatUs ?? row.tatUs, nowUs, rate);
      if (!result.isAllowed) throw limited(result.waitUs, rate);
    }
    throw limited(rate.periodUs, rate);
  };

  const takeUpTo: MailPermits['take'] = async (orgId, requested) => {
    let rate = defaultRate;
    for (let attempt = 0; attempt < MAX_MOVE_TRIES; attempt += 1) {
      const nowUs = clock.now().getTime() * 1_000;
      const row = await store.get(orgId);
      if (!row) {
        await store.make(orgId);
        continue;
      }
      rate = rateOf(row.isProbation);
      const { count, tatUs, waitUs } = decideUpTo(row.tatUs, nowUs, rate, requested);
      const everyMs = Math.ceil(rate.periodUs / 1_000);
      if (count === 0 || (await store.move(row, tatUs)))
        return { granted: count, waitMs: Math.ceil(waitUs / 1_000), everyMs };
    }
    const everyMs = Math.ceil(rate.periodUs / 1_000);
    return { granted: 0, waitMs: everyMs, everyMs };
  };

  const rates = callRates({ storage, tables, clock, isOrg, plans });
  // Several processes on one SQLite file do not serve calls; see docs/internals/rate-limits.md.
  const shared = storage.dialect.name === 'postgres' ? sharedBuckets({ storage, tables }) : null;
  const calls = callLimits({ clock, rateOfOrg: rates.of, shared: shared?.open ?? null, options });

  const api: LimitsApi = {
    calls,
    setCallRate: rates.set,
    callRates: rates.list,
    mailRequest: async (scope, work) => {
      // Messages in the outbox reach nobody.
      if (scope.environment === 'test') return work();
      const rate = await take(scope.orgId);
      try {
        return await counted.run(true, work);
      } catch (error) {
        if (isBeckonError(error, 'PROVIDER_NOT_CONFIGURED')) await store.giveBack(scope.orgId, rate);
        throw error;
      }
    },
    setEmailProbation: async (orgId, isOn) => {
      if (!(await isOrg(orgId))) throw notFound('org with this id');
      await store.setProbation(orgId, isOn);
    },
  };
  return {
    api,
    hasMailPermit: () => counted.getStore() === true,
    mailPermits: {
      take: takeUpTo,
      giveBack: async (orgId, count) => {
        const row = await store.get(orgId);
        if (row) await store.giveBack(orgId, rateOf(row.isProbation), count);
      },
    },
    maintenance: shared === null ? [] : [{ name: 'shared buckets of calls', run: shared.sweep }],
    close: calls.close,
  };
};
