import { and, asc, count, isNotNull, lte } from 'drizzle-orm';
import type { Storage } from '../../database/storage.ts';
import type { WebhookTables } from '../tables.ts';

/** Due deliveries that are looked at; ours: some 50 milliseconds, beside those who write. Behind more there may be anybody. */
const MOST = 50_000;

/**
 * Whether deliveries are due of other webhooks, or workflows, than the given ones: to claim all that stands before them
 * costs far more than this look. Throws what the database throws.
 */
export const othersBehind =
  (storage: Pick<Storage, 'aside' | 'now'>, { webhookDeliveries: t }: WebhookTables, most = MOST) =>
  async (given: ReadonlySet<string>): Promise<boolean> => {
    const now = await storage.now();
    const due = storage.aside
      .select({ webhookId: t.webhookId })
      .from(t)
      .where(and(isNotNull(t.dueAt), lte(t.dueAt, now)))
      .orderBy(asc(t.dueAt), asc(t.id))
      .limit(most)
      .as('due');
    const counted = await storage.aside.select({ id: due.webhookId, rows: count() }).from(due).groupBy(due.webhookId);
    const looked = counted.reduce((sum, { rows }) => sum + rows, 0);
    return looked >= most || counted.some(({ id }) => !given.has(id));
  };
