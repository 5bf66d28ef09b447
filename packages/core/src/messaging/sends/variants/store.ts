import { and, asc, eq, gt, gte, or } from 'drizzle-orm';
import type { Db } from '../../../database/storage.ts';
import type { InScope } from '../../../foundation/scope.ts';
import type { SendingTables } from '../tables.ts';
import type { VariantCount, VariantMessage } from './variant-message.ts';

/** Messages of a test, for its statistics. */
export const variantStore = ({
  db,
  tables: { messages, variantCounts },
}: {
  readonly db: Db;
  readonly tables: SendingTables;
}) => ({
  /** Ordered by counted unit, so messages of one unit are adjacent; `after` is the last row of the previous page. */
  async page(
    { scopeId }: InScope,
    abTestId: string,
    after: Pick<VariantMessage, 'unit' | 'id'> | null,
    limit: number,
  ): Promise<VariantMessage[]> {
    const { id, abTestUnit, variant, status, sentAt, deliveredAt, openedAt, clickedAt, convertedAt } = messages;
    const afterCursor = after && [
      gte(abTestUnit, after.unit),
      or(gt(abTestUnit, after.unit), and(eq(abTestUnit, after.unit), gt(id, after.id))),
    ];
    const rows = await db
      .select({ id, unit: abTestUnit, variant, status, sentAt, deliveredAt, openedAt, clickedAt, convertedAt })
      .from(messages)
      .where(and(eq(messages.scopeId, scopeId), eq(messages.abTestId, abTestId), ...(afterCursor ?? [])))
      .orderBy(asc(abTestUnit), asc(id))
      .limit(limit);
    return rows.map((row) => ({ ...row, unit: row.unit ?? '', variant: row.variant ?? '' }));
  },

  counts: ({ scopeId }: InScope, abTestId: string): Promise<VariantCount[]> => {
    const { variant, opened, clicked } = variantCounts;
    return db
      .select({ variant, opened, clicked })
      .from(variantCounts)
      .where(and(eq(variantCounts.scopeId, scopeId), eq(variantCounts.abTestId, abTestId)));
  },
});

export type VariantStore = ReturnType<typeof variantStore>;
