import type { Storage } from '../../database/storage.ts';
import type { Clock } from '../../foundation/clock.ts';
import { aiStore } from './store.ts';
import type { AiTables } from './tables.ts';

/** Tokens of the deployment's provider for one org and UTC day. Source: interface, `ai_action` quota. */
export const TOKENS_PER_DAY = 100_000;
/** How long a day is kept, in milliseconds; ours: a week, for those who look back. */
const KEPT_MS = 604_800_000;

const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

/**
 * What orgs had of the deployment's provider. The cap is soft: it is looked at before a call, and what the call took is
 * counted after it, so calls that are under way at once may pass it together.
 */
export const aiUsage = ({
  storage,
  tables,
  clock,
}: {
  readonly storage: Pick<Storage, 'db'>;
  readonly tables: AiTables;
  readonly clock: Clock;
}) => {
  const store = aiStore({ db: storage.db, tables });
  const today = (orgId: string): Promise<number> => store.tokensOf(orgId, dayOf(clock.now()));
  return {
    today,
    isOver: async (orgId: string): Promise<boolean> => (await today(orgId)) >= TOKENS_PER_DAY,
    count: (orgId: string, tokens: number): Promise<void> => store.addTokens(orgId, dayOf(clock.now()), tokens),
    /** Of days that nobody looks at any more. */
    sweep: async (): Promise<boolean> => {
      await store.forgetBefore(dayOf(new Date(clock.now().getTime() - KEPT_MS)));
      return false;
    },
  };
};
export type AiUsageCount = ReturnType<typeof aiUsage>;
