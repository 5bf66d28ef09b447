// Webhooks on the machine of somebody who develops a receiver, where no service can reach it: a webhook of its own whose
// deliveries wait to be fetched is made, looked at each second, posted on from here, and deleted at the end.

import type { Beckon, Scope, WebhookDelivery, WebhookInput } from '@beckon/core';
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

export type ListenOptions = { readonly forwardTo: string; readonly events: WebhookInput['events'] };

/** Posts on what happens from now on, each once. Resolves on a signal. */
export const listenForWebhooks = async (
  { io, services }: Pick<Context, 'io' | 'services'>,
  flags: CommonFlags & ListenOptions,
  { webhooks }: Pick<Beckon, 'webhooks'>,
  scope: Scope,
): Promise<ExitCode> => {
  const { forwardTo: url, events } = flags;
  const description = 'beckon webhooks listen';
  const { id, secret } = await webhooks.create(scope, { url, events, description, isPulled: true });
  const isJson = formOf(flags) !== 'table';
  io.stderr.write(`Forwarding to ${clean(url)}, signed with ${secret}\nStop it with Ctrl-C.\n`);

  /** Ids of the overlap with their moments. */
  const told = new Map<string, number>();
  const earliest = io.now().getTime();
  let readTo = earliest;

  const forward = async ({ id: deliveryId, eventId, eventType, createdAt }: WebhookDelivery): Promise<void> => {
    const { body } = await webhooks.delivery(scope, deliveryId);
    const status = await services.forward({ url, id: eventId, body, secret, at: io.now() });
    told.set(deliveryId, createdAt.getTime());
    io.stdout.write(
      isJson
        ? jsonLine({ deliveryId, eventId, eventType, createdAt, status })
        : `${[createdAt.toISOString(), clean(eventType), status ?? 'no answer', eventId].join('  ')}\n`,
    );
  };
  const look = async (): Promise<void> => {
    const at = io.now().getTime();
    const from = new Date(Math.max(earliest, readTo) - OVERLAP_MS);
    for (const [known, moment] of told) if (moment < from.getTime()) told.delete(known);
    const { rows } = await collect(MAX_LOOK, (query) => webhooks.deliveries(scope, id, { from, ...query }));
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
    await webhooks.remove(scope, id);
  }
  return EXIT.ok;
};
