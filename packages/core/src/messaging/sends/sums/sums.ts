import type { Db } from '../../../database/storage.ts';
import type { Channel } from '../../../foundation/channel.ts';
import type { InScope } from '../../../foundation/scope.ts';
import type { SendingTables } from '../tables.ts';

/** What is counted of a send, in the order in which it is told. */
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

/** By how much more a send counts than it was told, and what tells sends apart. */
export type SendChange = InScope & {
  readonly channel: Channel;
  readonly createdAt: Date;
  readonly templateId: string | null;
  readonly workflowRunId: string | null;
  /** As `COUNTED` is. */
  readonly more: readonly number[];
};

/** Tells what became of sends to whoever adds it up, each change once. */
export type SendChanges = {
  /** Whether there is anything to tell. */
  isAny(): Promise<boolean>;
  /** Of up to `limit` sends, told once the transaction has ended; those that somebody counts on meanwhile are left out. */
  take(db: Db, limit: number): Promise<SendChange[]>;
};
