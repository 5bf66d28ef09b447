import type { Db } from '../../../database/storage.ts';
import type { Channel } from '../../../foundation/channel.ts';
import type { InScope } from '../../../foundation/scope.ts';
import type { SendingTables } from '../tables.ts';

/** The counters of a send, in reporting order. */
export const COUNTED = [
  'targeted',
  'sent',
  'delivered',
  'uniqueOpened',
  'uniqueClicked',
  'bounced',
  'failed',
  'suppressed',
] as const satisfies readonly (keyof SendingTables['sends']['$inferSelect'])[];

/** The increase of a send's counters since the last report, with its dimensions. */
export type SendChange = InScope & {
  readonly channel: Channel;
  readonly createdAt: Date;
  readonly templateId: string | null;
  readonly workflowRunId: string | null;
  /** In the order of `COUNTED`. */
  readonly more: readonly number[];
};

/** Reports changes of send counters to analytics, each change once. */
export type SendChanges = {
  /** True if there are unreported changes. */
  isAny(): Promise<boolean>;
  /**
   * Takes the changes of up to `limit` sends; they count as reported when the transaction commits. Sends locked by
   * other writers are skipped.
   */
  take(db: Db, limit: number): Promise<SendChange[]>;
};
