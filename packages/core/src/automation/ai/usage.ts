import type { Platform } from '../../platform/platform.ts';
import { aiStore } from './store.ts';
import type { AiTables } from './tables.ts';

/** Tokens of the deployment's provider for one org and UTC day. Source: interface, `ai_action` quota. */
export const TOKENS_PER_DAY = 100_000;
/** How long a day is kept, in milliseconds; ours: a week, for those who look back. */
const KEPT_MS = 604_800_000;

const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

export type AiUsageCount = {
  /** Tokens that an org took today, in UTC. */
  today(orgId: string): Promise<number>;
  /** Whether nothing is left of today's. */
  isOver(orgId: string): Promise<boolean>;
  count(orgId: string, tokens: number): Promise<void>;
  /** Deletes days that are too old; false: nothing is left to delete. */
  sweep(): Promise<boolean>;
};

/**
 * What orgs had of the deployment's provider. The cap is soft: it is looked at before a call, and what the call took is
 * counted after it, so calls that are under way at once may pass it together.
 */
export const aiUsage = ({
  storage,
  tables,
  clock,
}: Pick<Platform<AiTables>, 'storage' | 'tables' | 'clock'>): AiUsageCount => {
  const store = aiStore({ db: storage.db, tables });
  const today = (orgId: string): Promise<number> => store.tokensOf(orgId, dayOf(clock.now()));
  return {
    today,
    isOver: async (orgId) => (await today(orgId)) >= TOKENS_PER_DAY,
    count: (orgId, tokens) => store.addTokens(orgId, dayOf(clock.now()), tokens),
    sweep: async () => {
      await store.forgetBefore(dayOf(new Date(clock.now().getTime() - KEPT_MS)));
      return false;
    },
  };
};
