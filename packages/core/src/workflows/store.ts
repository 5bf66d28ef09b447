import { eq, sql } from 'drizzle-orm';
import type { InProject } from '../primitives/scope.ts';
import type { StoreContext } from '../storage/context.ts';
import type { WorkflowTables } from './tables.ts';

/** A definition as it is stored. */
export type StoredWorkflow = WorkflowTables['workflows']['$inferSelect'];

/** Definitions and their versions. */
export const workflowStore = ({
  db,
  dialect,
  tables: { workflows, workflowVersions },
}: StoreContext<WorkflowTables>) => ({
  /**
   * Lets one transaction at a time change a project's definitions; whoever writes them calls it first. What is read
   * afterwards is what the one before left. Only inside a transaction.
   */
  async lock({ projectKey }: InProject): Promise<void> {
    // A transaction on SQLite is alone from its beginning. On PostgreSQL the lock ends with the transaction; there is
    // no row to lock, since a new project has no definitions and the project's own row belongs to another engine.
    if (dialect.name !== 'postgres') return;
    const key = `workflows/${projectKey}`;
    await db.select({ held: sql`1` }).from(sql`pg_advisory_xact_lock(hashtextextended(${key}, 0))`);
  },

  /** All definitions of a project, in no order. */
  async list({ projectKey }: InProject): Promise<StoredWorkflow[]> {
    return db.select().from(workflows).where(eq(workflows.projectKey, projectKey));
  },

  /** Writes definitions by id, and the version that each of them has now. Two statements. */
  async save(rows: readonly StoredWorkflow[]): Promise<void> {
    if (rows.length === 0) return;
    await db
      .insert(workflows)
      .values([...rows])
      .onConflictDoUpdate({
        target: [workflows.projectKey, workflows.id],
        set: {
          description: sql`excluded.description`,
          trigger: sql`excluded.trigger`,
          steps: sql`excluded.steps`,
          isActive: sql`excluded.is_active`,
          version: sql`excluded.version`,
          updatedAt: sql`excluded.updated_at`,
        },
      });
    await db.insert(workflowVersions).values(
      rows.map(({ projectKey, id, version, steps, updatedAt }) => ({
        projectKey,
        workflowId: id,
        version,
        steps,
        createdAt: updatedAt,
      })),
    );
  },
});
