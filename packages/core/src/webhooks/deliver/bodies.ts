import { type InScope, scopeKey } from '../../primitives/scope.ts';
import type { Storage } from '../../storage/storage.ts';
import type { LeasedDelivery, WebhookHot } from '../hot.ts';

type Told = Pick<LeasedDelivery, 'scopeId' | 'eventId'>;
/** The bytes that one delivery of a claim posts; null: they were erased. Throws what the database throws. */
export type Bodies = (row: Told) => Promise<Buffer | null>;
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
    readonly hot: Pick<WebhookHot, 'bodies'>;
  }): BodiesOf =>
  (rows) => {
    const readAll = async (): Promise<ReadonlyMap<string, Buffer>> => {
      const events = new Map(rows.map((row) => [nameOf(row, row.eventId), [row.scopeId, row.eventId] as const]));
      const found = await storage.select(hot.bodies, [...events.values()]);
      return new Map(found.map((row) => [nameOf(row, row.id), Buffer.from(row.body)]));
    };
    const read = readAll();
    // Where all of them are put off nobody asks.
    read.catch(() => undefined);
    return async (row) => (await read).get(nameOf(row, row.eventId)) ?? null;
  };
