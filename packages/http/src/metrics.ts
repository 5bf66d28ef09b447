// Prometheus metrics of the running service. Nothing is loaded before they are created.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { Beckon, Meter } from '@beckon/core';
import type { Load } from './load.ts';
import { type Answered, meterOver } from './metrics-meter.ts';

/** Counters, timings and their text format. */
export type Metrics = {
  /** For `createBeckon({ meter })`. */
  readonly meter: Meter;
  /** For `createHandler({ onAnswered })`. */
  readonly answered: Answered;
  /** For `watchLoad({ onChange })`. */
  readonly loaded: (load: Load) => void;
  readonly contentType: string;
  /**
   * All metrics in Prometheus' text format, with the current queues. Queues are left out while the database is
   * unavailable.
   * Throws nothing.
   */
  text(beckon: Pick<Beckon, 'queues'>): Promise<string>;
};

/** Creates the metrics of one process: those of the service, of Node and of the process itself. Throws nothing. */
export const createMetrics = async (): Promise<Metrics> => {
  const prometheus = await import('prom-client');
  const registry = new prometheus.Registry();
  prometheus.collectDefaultMetrics({ register: registry });
  const { meter, answered } = meterOver(prometheus, registry);
  const registers = [registry];
  const queueLabels = ['queue'] as const;
  const due = new prometheus.Gauge({
    name: 'beckon_queue_due',
    help: 'Rows that are due and in no worker’s hands; at most 10,000 are counted',
    labelNames: queueLabels,
    registers,
  });
  const oldest = new prometheus.Gauge({
    name: 'beckon_queue_oldest_seconds',
    help: 'How long the first of them has been due',
    labelNames: queueLabels,
    registers,
  });
  const up = new prometheus.Gauge({
    name: 'beckon_database_up',
    help: '1 where the database answered when the queues were looked at',
    registers,
  });

  const refused = new prometheus.Gauge({
    name: 'beckon_refused_kinds',
    help: 'Kinds of calls that are refused because too much is asked, 0 to 9 in the order of shedding',
    registers,
  });
  const paused = new prometheus.Gauge({
    name: 'beckon_ingest_paused',
    help: '1 while events are refused because what they set off is late',
    registers,
  });

  const look = async (beckon: Pick<Beckon, 'queues'>): Promise<void> => {
    due.reset();
    oldest.reset();
    try {
      for (const state of (await beckon.queues()).data) {
        due.set({ queue: state.name }, state.due);
        oldest.set({ queue: state.name }, state.oldestSeconds);
      }
      up.set(1);
    } catch {
      up.set(0);
    }
  };

  return {
    meter,
    answered,
    loaded: ({ level, isIngestPaused }) => {
      refused.set(level);
      paused.set(isIngestPaused ? 1 : 0);
    },
    contentType: registry.contentType,
    text: async (beckon) => {
      await look(beckon);
      return registry.metrics();
    },
  };
};

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * True for the header `Authorization: Bearer TOKEN`, compared in constant time.
 *
 * @param token undefined: no token is required
 */
export const mayLook = (authorization: string | undefined, token: string | undefined): boolean =>
  token === undefined || timingSafeEqual(digest(authorization ?? ''), digest(`Bearer ${token}`));
