import { and, asc, count, isNotNull, lte } from 'drizzle-orm';
import type { Storage } from '../../database/storage.ts';
import type { WebhookTables } from '../tables.ts';

/** Due deliveries read by one check. Measured: about 50 ms on a read connection. More of them count as "others are due". */
const MAX_ROWS = 50_000;

/**
 * True if deliveries of other webhooks, or workflows, than these are due. This check is far cheaper than claiming every
 * delivery ahead of them. Throws what the database throws.
 */
export const otherDueTargets =
  (storage: Pick<Storage, 'readOnlyConnection' | 'now'>, { webhookDeliveries: t }: WebhookTables, most = MAX_ROWS) =>
  async (webhookIds: ReadonlySet<string>): Promise<boolean> => {
    const now = await storage.now();
    const due = storage.readOnlyConnection
      .select({ webhookId: t.webhookId })
      .from(t)
      .where(and(isNotNull(t.dueAt), lte(t.dueAt, now)))
      .orderBy(asc(t.dueAt), asc(t.id))
      .limit(most)
      .as('due');
    const counted = await storage.readOnlyConnection
      .select({ id: due.webhookId, rows: count() })
      .from(due)
      .groupBy(due.webhookId);
    const rowsSeen = counted.reduce((sum, { rows }) => sum + rows, 0);
    return rowsSeen >= most || counted.some(({ id }) => !webhookIds.has(id));
  };
