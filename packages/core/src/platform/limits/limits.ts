import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import type { Storage } from '../../database/storage.ts';
import type { Clock } from '../../foundation/clock.ts';
import { BeckonError, isBeckonError, notFound } from '../../foundation/errors.ts';
import type { Upkeep } from '../../jobs/maintenance.ts';
import type { LimitsApi } from './api.ts';
import { perMinute } from './call-rates.ts';
import { type CallOptions, callLimits } from './calls.ts';
import { exchange } from './exchange.ts';
import { type Rate, taken, takenUpTo } from './gcra.ts';
import { callRates, type OfPlans } from './org-rates.ts';
import type { MailPlaces } from './places.ts';
import { callBucketStore, limitStore } from './store.ts';
import type { LimitTables } from './tables.ts';

/** Rows that one piece of upkeep takes away; ours. */
const MOST_AT_ONCE = 1_000;

const digestOf = (key: string): string => createHash('sha256').update(key).digest('base64url');

/** The buckets of calls that all processes of a database share, by its clock: theirs may differ. */
const sharedBuckets = ({
  storage,
  tables,
}: {
  readonly storage: Pick<Storage, 'db' | 'now'>;
  readonly tables: LimitTables;
}) => {
  const store = callBucketStore({ db: storage.db, tables });
  const nowUsThere = async (): Promise<number> => (await storage.now()).getTime() * 1_000;
  return {
    open: (nowUs: () => number) =>
      exchange({
        nowUs,
        swap: async (tellings) =>
          store.swap(
            tellings.map((one) => ({ ...one, digest: digestOf(one.key) })),
            await nowUsThere(),
          ),
      }),
    sweep: async (): Promise<boolean> => (await store.removeFull(await nowUsThere(), MOST_AT_ONCE)) === MOST_AT_ONCE,
  };
};

/** Requests to send mail. Source: semantics, Rate limits, Email sends. */
const MAILS_A_MINUTE = 60;
const PROBATION: Rate = { periodUs: 6_000_000, burst: 10 };
/** A bucket that others take from, a flag that changes meanwhile, and a row that is not there yet; ours. */
const TRIES = 3;
/** Of whoever takes several places: each time that it fails somebody else took some. Ours: more than there are workers. */
const MOVES = 20;

const limited = (waitUs: number): BeckonError =>
  new BeckonError('RATE_LIMITED', 'This org asks for more mail than it may; come back later.', {
    details: { retryAfterSeconds: Math.max(1, Math.ceil(waitUs / 1_000_000)), reason: 'email_sends' },
  });

export type Limits = {
  readonly api: LimitsApi;
  /** True within a request to send mail that was counted. */
  readonly hasMailPermit: () => boolean;
  /** For mail that nobody counted as it was asked for. */
  readonly places: MailPlaces;
  readonly upkeep: readonly Upkeep[];
  close(): void;
};

/** What limits use of other modules, and the options of the deployment. */
export type LimitNeeds = {
  readonly isOrg: (orgId: string) => Promise<boolean>;
  readonly plans: OfPlans;
  /** Of orgs that are not on probation. Default 60. */
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
  readonly storage: Pick<Storage, 'db' | 'dialect' | 'now' | 'apart' | 'wake'>;
  readonly tables: LimitTables;
  readonly clock: Clock;
}): Limits => {
  const usual = perMinute(mailsPerMinute);
  const rateOf = (isProbation: boolean): Rate => (isProbation ? PROBATION : usual);
  const counted = new AsyncLocalStorage<true>();
  const store = limitStore({ db: storage.db, tables });

  /** Takes one, and answers at which rate. Throws RATE_LIMITED. */
  const take = async (orgId: string): Promise<Rate> => {
    let waitUs = 0;
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const nowUs = clock.now().getTime() * 1_000;
      const row = await store.get(orgId);
      if (!row) {
        await store.make(orgId);
        continue;
      }
      const rate = rateOf(row.isProbation);
      if (await store.take(orgId, row.isProbation, nowUs, rate)) return rate;
      const result = taken((await store.get(orgId))?.tatUs ?? row.tatUs, nowUs, rate);
      if (!result.isAllowed) throw limited(result.waitUs);
      waitUs = rate.periodUs;
    }
    throw limited(waitUs);
  };

  const takeUpTo: MailPlaces['take'] = async (orgId, wanted) => {
    let rate = usual;
    for (let attempt = 0; attempt < MOVES; attempt += 1) {
      const nowUs = clock.now().getTime() * 1_000;
      const row = await store.get(orgId);
      if (!row) {
        await store.make(orgId);
        continue;
      }
      rate = rateOf(row.isProbation);
      const { count, tatUs, waitUs } = takenUpTo(row.tatUs, nowUs, rate, wanted);
      const everyMs = Math.ceil(rate.periodUs / 1_000);
      if (count === 0 || (await store.move(row, tatUs)))
        return { taken: count, waitMs: Math.ceil(waitUs / 1_000), everyMs };
    }
    const everyMs = Math.ceil(rate.periodUs / 1_000);
    return { taken: 0, waitMs: everyMs, everyMs };
  };

  const rates = callRates({ storage, tables, clock, isOrg, plans });
  // Several processes on one SQLite file are not how calls are served; see docs/internals/rate-limits.md.
  const shared = storage.dialect.name === 'postgres' ? sharedBuckets({ storage, tables }) : null;
  const calls = callLimits({ clock, rateOfOrg: rates.of, shared: shared?.open ?? null, options });

  const api: LimitsApi = {
    calls,
    setCallRate: rates.set,
    callRates: rates.list,
    mailRequest: async (scope, work) => {
      // What the sandbox takes reaches nobody.
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
    places: {
      take: takeUpTo,
      giveBack: async (orgId, count) => {
        const row = await store.get(orgId);
        if (row) await store.giveBack(orgId, rateOf(row.isProbation), count);
      },
    },
    upkeep: shared === null ? [] : [{ name: 'shared buckets of calls', run: shared.sweep }],
    close: calls.close,
  };
};
