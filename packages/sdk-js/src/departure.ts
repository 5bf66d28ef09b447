import { takeBatch } from './batches.ts';
import type { Client } from './client-types.ts';
import { internalsOf } from './internals.ts';
import type { Entry } from './queue.ts';
import { BASE } from './request.ts';

/**
 * Sends events while the page is being left. A beacon has no response, so its events stay in the queue with the time at
 * which it was sent, and a later page sends them again: their message ids make that harmless.
 */
export const sendOnDeparture = (client: Client<never>): void => {
  const { g, queue, send, ownDue, bodyOf, flushSoon, resume, on } = internalsOf(client);
  const path = '/events/batch';

  const depart = (entries: readonly Entry[], isHalf?: boolean): void => {
    const body = bodyOf(entries);
    if (g.navigator?.sendBeacon?.(`${client.baseUrl}${BASE}${path}?key=${client.apiKey}`, JSON.stringify(body))) return;
    const half = Math.ceil(entries.length / 2);
    if (isHalf || half === entries.length) send('POST', path, body, true).catch(() => {});
    else for (const part of [entries.slice(0, half), entries.slice(half)]) depart(part, true);
  };

  const leave = (): void => {
    let left = ownDue().filter(({ kind }) => kind !== 'identify');
    while (left.length > 0) {
      const batch = takeBatch(left);
      left = left.slice(batch.length);
      depart(batch);
      for (const { id, ...said } of batch) queue.put(id, { ...said, sentAtMs: g.Date.now() });
    }
    // A page that is only hidden continues, so what no beacon accepts is sent in the ordinary way.
    flushSoon();
  };

  // Early listeners have queued their events by then.
  on('visibilitychange', () => (g.document?.visibilityState === 'hidden' ? leave() : resume()));
  on('pagehide', leave);
  on('pageshow', (event) => {
    // Safe: the one type of event of this name.
    if ((event as PageTransitionEvent).persisted) resume();
  });
};
