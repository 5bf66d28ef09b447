import { contained } from './contained.ts';
import type { PlaceholderSource } from './placeholder-user-id.ts';

/** Counters and their labels. */
export type Counts = {
  /** Events and identify calls by outcome. */
  readonly events: { readonly outcome: 'stored' | 'duplicate' | 'refused' };
  /** Messages by their new status. */
  readonly messages: { readonly channel: string; readonly status: string };
  /** Provider calls by result. */
  readonly calls: { readonly channel: string; readonly provider: string; readonly result: string };
  /** Placeholder user ids that clients sent, by route. */
  readonly placeholders: { readonly source: PlaceholderSource };
};

/** Timers and their labels, in seconds. */
export type Times = {
  /** One flush of ingest, from the first read to the commit. */
  readonly flush: Readonly<Record<never, never>>;
  /** One commit of a write set. */
  readonly commit: Readonly<Record<never, never>>;
  /** One call of a provider. */
  readonly call: { readonly channel: string; readonly provider: string };
};

/** Receives metrics. Called once per flush, commit or provider call. */
export type Meter = {
  count<Name extends keyof Counts>(name: Name, by: number, labels: Counts[Name]): void;
  time<Name extends keyof Times>(name: Name, seconds: number, labels: Times[Name]): void;
};

export const noMeter: Meter = { count: () => undefined, time: () => undefined };

/** Wraps a meter so that its errors are reported instead of failing the commit or provider call around it. */
export const containedMeter = (meter: Meter, report: (error: unknown) => void): Meter => ({
  count: (name, by, labels) => contained(() => meter.count(name, by, labels), report)(),
  time: (name, seconds, labels) => contained(() => meter.time(name, seconds, labels), report)(),
});
