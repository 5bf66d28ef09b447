import type { Storage } from '../../database/storage.ts';
import { type InScope, scopeKey } from '../../foundation/scope.ts';
import type { LeasedDelivery, WebhookStatements } from '../statements.ts';

type BodyKey = Pick<LeasedDelivery, 'scopeId' | 'eventId'>;
export type Bodies = {
  /** Resolves when the bodies were read or the read failed. */
  readonly isRead: Promise<void>;
  /** The request body of one delivery; null if it was erased. Throws the error of the read. */
  of(row: BodyKey): Buffer | null;
};
/** The bodies of the deliveries of one claim. Starts reading at once. */
export type BodiesOf = (rows: readonly BodyKey[]) => Bodies;

const nameOf = (scope: InScope, id: string): string => `${scopeKey(scope)}/${id}`;

/** Reads the bodies of a claim in one query, each event's body once for all of its webhooks. */
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
      throw new Error('the bodies of the deliveries were not read yet');
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
