import type { Storage } from '../../database/storage.ts';
import { type InScope, scopeKey } from '../../foundation/scope.ts';
import type { LeasedDelivery, WebhookStatements } from '../statements.ts';

type Told = Pick<LeasedDelivery, 'scopeId' | 'eventId'>;
export type Bodies = {
  /** Resolves once they are read, or cannot be. */
  readonly isRead: Promise<void>;
  /** The bytes that one delivery of the claim posts; null: they were erased. Throws what the database threw. */
  of(row: Told): Buffer | null;
};
/** What the deliveries of one claim say. Begins to read at once. */
export type BodiesOf = (rows: readonly Told[]) => Bodies;

const nameOf = (scope: InScope, id: string): string => `${scopeKey(scope)}/${id}`;

/** Reads what deliveries say: together for all of a claim, and the bytes of an event once for all of its webhooks. */
export const bodyReader =
  ({
    storage,
    hot,
  }: {
    readonly storage: Pick<Storage, 'select'>;
    readonly hot: Pick<WebhookStatements, 'bodies'>;
  }): BodiesOf =>
  (rows) => {
    let all = (): ReadonlyMap<string, Buffer> => {
      throw new Error('what deliveries say is not read yet');
    };
    const readAll = async (): Promise<void> => {
      const events = new Map(rows.map((row) => [nameOf(row, row.eventId), [row.scopeId, row.eventId] as const]));
      const found = await storage.select(hot.bodies, [...events.values()]);
      const bytes = new Map(found.map((row) => [nameOf(row, row.id), Buffer.from(row.body)]));
      all = () => bytes;
    };
    const isRead = readAll().catch((error: unknown) => {
      all = () => {
        throw error;
      };
    });
    return { isRead, of: (row) => all().get(nameOf(row, row.eventId)) ?? null };
  };
