import type { LimitsApi } from '../api.ts';
import { BeckonError, isBeckonError, notFound } from '../errors.ts';
import type { Clock } from '../primitives/clock.ts';
import type { Storage } from '../storage/storage.ts';
import { type Rate, taken } from './gcra.ts';
import { limitStore } from './store.ts';
import type { LimitTables } from './tables.ts';

/** Requests to send mail. Source: semantics, Rate limits, Email sends. */
const USUAL: Rate = { periodUs: 1_000_000, burst: 60 };
const PROBATION: Rate = { periodUs: 6_000_000, burst: 10 };
/** A flag that changes meanwhile, and a row that is not there yet; ours. */
const TRIES = 3;

const rateOf = (isProbation: boolean): Rate => (isProbation ? PROBATION : USUAL);

const limited = (waitUs: number): BeckonError =>
  new BeckonError('RATE_LIMITED', 'This org asks for more mail than it may; come back later.', {
    details: { retryAfterSeconds: Math.max(1, Math.ceil(waitUs / 1_000_000)), reason: 'email_sends' },
  });

export const limitsEngine = ({
  storage,
  tables,
  clock,
  isOrg,
}: {
  readonly storage: Pick<Storage, 'db'>;
  readonly tables: LimitTables;
  readonly clock: Clock;
  readonly isOrg: (orgId: string) => Promise<boolean>;
}): LimitsApi => {
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

  return {
    mailRequest: async (scope, work) => {
      // What the sandbox takes reaches nobody.
      if (scope.environment === 'test') return work();
      const rate = await take(scope.orgId);
      try {
        return await work();
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
};
