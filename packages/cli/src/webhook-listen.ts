// Webhooks on the machine of somebody who develops a receiver, where no service can reach it: a webhook of its own whose
// deliveries wait to be fetched is made, looked at each second, posted on from here, and deleted at the end.

import type { Api, Body, RowOf } from './api.ts';
import type { CommonFlags, Context } from './command-line.ts';
import { EXIT, type ExitCode, failureOf } from './exit-codes.ts';
import { collect } from './listing.ts';
import { formOf, jsonLine } from './output.ts';
import { clean } from './text.ts';

/** Between two looks, in milliseconds. Ours. */
const LOOK_MS = 1_000;
/** Events are of the moment at which they happened, and may be there some seconds later. Ours. */
const OVERLAP_MS = 60_000;
/** Deliveries of one look at most; ours. */
const MAX_LOOK = 1_000;

export type ListenOptions = { readonly forwardTo: string; readonly events: Body<'POST /webhooks'>['events'] };

/** Posts on what happens from now on, each once. Resolves on a signal. */
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
  io.stderr.write(`Forwarding to ${clean(url)}, signed with ${secret}\nStop it with Ctrl-C.\n`);

  /** Ids of the overlap with their moments. */
  const told = new Map<string, number>();
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
    told.set(deliveryId, Date.parse(createdAt));
    io.stdout.write(
      isJson
        ? jsonLine({ deliveryId, eventId, eventType, createdAt, status })
        : `${[createdAt, clean(eventType), status ?? 'no answer', eventId].join('  ')}\n`,
    );
  };
  const look = async (): Promise<void> => {
    const at = io.now().getTime();
    const from = new Date(Math.max(earliest, readTo) - OVERLAP_MS);
    for (const [known, moment] of told) if (moment < from.getTime()) told.delete(known);
    const { rows } = await collect(MAX_LOOK, (query) =>
      api.page('GET /webhooks/{id}/deliveries', { params: { id }, query: { from: from.toISOString(), ...query } }),
    );
    for (const one of rows.toReversed()) if (!told.has(one.id)) await forward(one);
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
        await look();
      } catch (error) {
        // A database that restarts comes back; what came meanwhile is read then.
        if (failureOf(error).exitCode !== EXIT.unavailable) throw error;
      }
      if (isOver) break;
      await new Promise<void>((resolve) => {
        const cancel = io.after(LOOK_MS, resolve);
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
