import type { SpanReference, Tracing } from '../../foundation/telemetry.ts';
import type { Settled } from '../../jobs/concurrency/batcher.ts';
import type { Ingested } from './ingest.ts';
import type { Item } from './pipeline.ts';

type Results = readonly (Settled<Ingested> | null)[];
type Flush = (items: readonly Item[], isAlone: boolean) => Promise<Results>;

/** Number of items by outcome; undone items count nowhere. */
export const outcomesOf = (results: Results) => {
  const settled = results.filter((one) => one !== null);
  const stored = settled.filter((one) => one.ok && !one.value.isDuplicate).length;
  const refused = settled.filter((one) => !one.ok).length;
  return { stored, duplicate: settled.length - stored - refused, refused };
};

/** Makes a span of each flush. Items of one request make it a child of that request; several requests are linked. */
export const flushSpans = (tracing: Tracing, flush: Flush) => {
  const requests = new WeakMap<Item, SpanReference>();

  /** The spans of the items' requests; `null` among them if an item had none. */
  const requestsOf = (items: readonly Item[]): ReadonlyMap<string | null, SpanReference | null> =>
    new Map(
      items.map((item) => {
        const request = requests.get(item) ?? null;
        return [request && `${request.traceId}/${request.spanId}`, request];
      }),
    );
  /** The common project of the items, if there is one. */
  const tenantOf = ([first, ...rest]: readonly Item[]) => {
    if (!first || rest.some(({ scope }) => scope.scopeId !== first.scope.scopeId)) return undefined;
    return first.scope;
  };

  return {
    /** Remembers the active span as the request of an item. */
    submitted: (item: Item): void => {
      const request = tracing.active();
      if (request) requests.set(item, request);
    },
    flush: (items: readonly Item[], isAlone: boolean): Promise<Results> => {
      const found = [...requestsOf(items).values()];
      const linked = found.filter((request) => request !== null);
      const options = {
        attributes: { 'messaging.batch.message_count': items.length },
        scope: tenantOf(items),
        ...(found.length === 1 ? { parent: found[0] ?? null } : { parent: null, links: linked }),
      };
      return tracing.trace('flush events', options, async (span) => {
        const results = await flush(items, isAlone);
        const { stored, duplicate, refused } = outcomesOf(results);
        span.add({
          'beckon.events.stored': stored,
          'beckon.events.duplicate': duplicate,
          'beckon.events.refused': refused,
        });
        return results;
      });
    },
  };
};
