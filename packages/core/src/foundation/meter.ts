import { contained } from './contained.ts';
import type { PlaceholderSource } from './placeholder-user-id.ts';

/** What is counted, and what tells its parts apart. */
export type Counts = {
  /** Events and identify calls by what became of them. */
  readonly events: { readonly outcome: 'stored' | 'duplicate' | 'refused' };
  /** Messages by how they changed. */
  readonly messages: { readonly channel: string; readonly status: string };
  /** Calls of providers by how they ended. */
  readonly calls: { readonly channel: string; readonly provider: string; readonly result: string };
  /** Placeholder user ids that clients sent, by where they sent them. */
  readonly placeholders: { readonly source: PlaceholderSource };
};

/** What is timed, in seconds. */
export type Times = {
  /** One flush of ingest, from its first read to its commit. */
  readonly flush: Readonly<Record<never, never>>;
  /** One commit of a write set. */
  readonly commit: Readonly<Record<never, never>>;
  /** One call of a provider. */
  readonly call: { readonly channel: string; readonly provider: string };
};

/** Takes figures about the running service. Called once per flush, commit or call. */
export type Meter = {
  count<Name extends keyof Counts>(name: Name, by: number, labels: Counts[Name]): void;
  time<Name extends keyof Times>(name: Name, seconds: number, labels: Times[Name]): void;
};

export const noMeter: Meter = { count: () => undefined, time: () => undefined };

/** The same meter for those in whose middle it is called: what was committed, or sent, does not fail for what it throws. */
export const containedMeter = (meter: Meter, tell: (error: unknown) => void): Meter => ({
  count: (name, by, labels) => contained(() => meter.count(name, by, labels), tell)(),
  time: (name, seconds, labels) => contained(() => meter.time(name, seconds, labels), tell)(),
});
