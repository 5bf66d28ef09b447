// Forwards webhook events to a local receiver that the server cannot reach. Creates a temporary webhook whose deliveries
// are pulled, polls it every second, posts the deliveries to the receiver, and deletes the webhook at the end.

import type { Api, Body, RowOf } from './api.ts';
import type { CommonFlags, Context } from './command-line.ts';
import { EXIT, type ExitCode, failureOf } from './exit-codes.ts';
import { collect } from './listing.ts';
import { formOf, jsonLine } from './output.ts';
import { clean } from './text.ts';

/** Polling interval, in milliseconds. Chosen. */
const POLL_MS = 1_000;
/** Overlap of two reads, because deliveries may appear seconds after their event. Chosen. */
const OVERLAP_MS = 60_000;
/** Maximum deliveries per read. Chosen. */
const MAX_DELIVERIES = 1_000;

export type ListenOptions = { readonly forwardTo: string; readonly events: Body<'POST /webhooks'>['events'] };

/** Forwards new events, each once. Resolves on a signal. */
export const listenForWebhooks = async (
  { io, services }: Pick<Context, 'io' | 'services'>,
  flags: CommonFlags & ListenOptions,
  api: Api,
): Promise<ExitCode> => {
  const { forwardTo: url, events } = flags;
  const description = 'beckon webhooks listen';
  const body = { url, events, description, isPulled: true };
  const { id, secret } = await api.call('POST /webhooks', { body });
  const isJson = formOf(flags) !== 'table';
  io.stderr.write(`Forwarding events to ${clean(url)}. Signing secret: ${secret}\nPress Ctrl+C to stop.\n`);

  /** Ids within the overlap with their times. */
  const forwarded = new Map<string, number>();
  const earliest = io.now().getTime();
  let readTo = earliest;

  const forward = async ({
    id: deliveryId,
    eventId,
    eventType,
    createdAt,
  }: RowOf<'GET /webhooks/{id}/deliveries'>): Promise<void> => {
    const delivery = await api.call('GET /webhooks/deliveries/{id}', { params: { id: deliveryId } });
    const status = await services.forward({ url, id: eventId, body: delivery.body, secret, at: io.now() });
    forwarded.set(deliveryId, Date.parse(createdAt));
    io.stdout.write(
      isJson
        ? jsonLine({ deliveryId, eventId, eventType, createdAt, status })
        : `${[createdAt, clean(eventType), status ?? 'no response', eventId].join('  ')}\n`,
    );
  };
  const read = async (): Promise<void> => {
    const at = io.now().getTime();
    const from = new Date(Math.max(earliest, readTo) - OVERLAP_MS);
    for (const [known, moment] of forwarded) if (moment < from.getTime()) forwarded.delete(known);
    const { rows } = await collect(MAX_DELIVERIES, (query) =>
      api.page('GET /webhooks/{id}/deliveries', { params: { id }, query: { from: from.toISOString(), ...query } }),
    );
    for (const one of rows.toReversed()) if (!forwarded.has(one.id)) await forward(one);
    readTo = at;
  };

  let isOver = false;
  let wake = (): void => undefined;
  const stopListening = io.onSignal(() => {
    isOver = true;
    wake();
  });
  try {
    while (!isOver) {
      try {
        await read();
      } catch (error) {
        // The database may be restarting; the next read includes the missed deliveries.
        if (failureOf(error).exitCode !== EXIT.unavailable) throw error;
      }
      if (isOver) break;
      await new Promise<void>((resolve) => {
        const cancel = io.after(POLL_MS, resolve);
        wake = () => {
          cancel();
          resolve();
        };
      });
    }
  } finally {
    stopListening();
    await api.call('DELETE /webhooks/{id}', { params: { id } });
  }
  return EXIT.ok;
};
