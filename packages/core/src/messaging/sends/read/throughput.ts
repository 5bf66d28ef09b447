import type { NameProvider } from '../../../delivery/providers/own-transports.ts';
import type { Clock } from '../../../foundation/clock.ts';
import type { SendsApi, SendThroughput } from '../api.ts';
import type { SendingStore } from '../store.ts';
import { byPlatformAndProvider } from './health.ts';

/** How far back messages are read, and how many at most. Chosen: cheap enough for one read per second. */
const WINDOW_MS = 3_600_000;
const MOST = 1_000;
/** Window of the rate, in milliseconds. Chosen: reacts fast, yet averages single commits. */
const WINDOW_OF_RATE_MS = 10_000;
const SHARE = 0.95;

/** Creation, end of deferral and send time of a message. */
type Went = { readonly createdAt: Date; readonly deferredUntil: Date | null; readonly sentAt: Date | null };

/** The value that a share `SHARE` of the figures does not exceed; null: none. Throws nothing. */
export const p95Of = (figures: readonly number[]): number | null =>
  figures.toSorted((a, b) => a - b)[Math.ceil(figures.length * SHARE) - 1] ?? null;

/** Milliseconds from the earliest allowed time to the send. Throws nothing. */
export const tookMs = ({ createdAt, deferredUntil, sentAt }: Went): number =>
  Math.max(0, (sentAt ?? createdAt).getTime() - Math.max(createdAt.getTime(), deferredUntil?.getTime() ?? 0));

/** Makes the function that measures delivery speed. */
export const sendThroughput =
  ({
    store,
    clock,
    nameProvider,
  }: {
    readonly store: Pick<SendingStore, 'handovers'>;
    readonly clock: Clock;
    readonly nameProvider: NameProvider;
  }): SendsApi['throughput'] =>
  async (scope, channel): Promise<SendThroughput> => {
    const nowMs = clock.now().getTime();
    const went = await store.handovers(scope, channel, new Date(nowMs - WINDOW_MS), MOST);
    const nameOf = byPlatformAndProvider(nameProvider, scope, channel);
    const byProvider = Map.groupBy(went, (one) => nameOf(one) ?? 'unknown');
    const newest = went.filter(({ sentAt }) => sentAt !== null && sentAt.getTime() > nowMs - WINDOW_OF_RATE_MS);
    const sinceMs =
      newest.length < MOST
        ? WINDOW_OF_RATE_MS
        : nowMs - Math.min(...newest.map((one) => one.sentAt?.getTime() ?? nowMs));
    return {
      perSecond: (newest.length * 1_000) / Math.max(1, sinceMs),
      p95Ms: Object.fromEntries(
        [...byProvider].flatMap(([name, some]) => {
          const p95 = p95Of(some.map(tookMs));
          return p95 === null ? [] : [[name, p95]];
        }),
      ),
    };
  };
