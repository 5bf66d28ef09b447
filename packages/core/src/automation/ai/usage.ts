import type { Platform } from '../../platform/platform.ts';
import { aiStore } from './store.ts';
import type { AiTables } from './tables.ts';

/** Tokens of the deployment's provider per org and UTC day. Source: interface, `ai_action` quota. */
export const TOKENS_PER_DAY = 100_000;
/** Retention of a day's usage, in milliseconds. Chosen: a week. */
const KEPT_MS = 604_800_000;

const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

export type AiUsageCount = {
  /** Tokens that an org used today, in UTC. */
  today(orgId: string): Promise<number>;
  /** Whether today's tokens are used up. */
  isOver(orgId: string): Promise<boolean>;
  count(orgId: string, tokens: number): Promise<void>;
  /** Deletes expired days; always false, because none is left. */
  sweep(): Promise<boolean>;
};

/**
 * Usage of the deployment's provider by org. The cap is soft: it is checked before a call, and tokens are counted after
 * it, so concurrent calls may exceed it together.
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
