import type { ChannelKey, OpenCircuit } from '../../../delivery/providers/connections.ts';
import type { NameProvider } from '../../../delivery/providers/own-transports.ts';
import type { Channel } from '../../../foundation/channel.ts';
import type { Clock } from '../../../foundation/clock.ts';
import { PLATFORMS } from '../../../foundation/device-platform.ts';
import type { Scope } from '../../../foundation/scope.ts';
import type { SendsApi } from '../api.ts';
import type { SendingStore, StatusCount } from '../store.ts';
import { byName, countBy, isFailed, isSent, isWaiting, sum } from './count-by.ts';

/** Source: contract, delivery-health. */
const WINDOW_MINUTES = 60;
const DEGRADED_RATE = 0.05;
const FAILING_RATE = 0.5;

/** Names the provider of messages; null: unknown. */
export const byPlatformAndProvider =
  (nameOf: NameProvider, scope: Scope, channel: Channel) =>
  ({ platform, provider = null }: Pick<StatusCount, 'platform' | 'provider'>): string | null => {
    if (scope.environment === 'test' || provider === 'sandbox') return 'sandbox';
    const devicePlatform = PLATFORMS.find((one) => one === platform);
    if (provider !== null) return nameOf(channel, devicePlatform, provider);
    return channel === 'push' && devicePlatform === undefined ? null : nameOf(channel, devicePlatform);
  };

/** Health of a channel over the last hour: one statement over its messages, one over its credentials. */
export const deliveryHealth =
  ({
    store,
    clock,
    circuits,
    nameProvider,
  }: {
    readonly store: SendingStore;
    readonly clock: Clock;
    readonly circuits: (key: ChannelKey) => Promise<readonly OpenCircuit[]>;
    readonly nameProvider: NameProvider;
  }): SendsApi['health'] =>
  async (scope, channel) => {
    const now = clock.now();
    const since = new Date(now.getTime() - WINDOW_MINUTES * 60_000);
    const [{ counts, oldest }, open] = await Promise.all([
      store.health(scope, channel, since, now),
      circuits({ ...scope, channel }),
    ]);
    const openCircuits = open.filter(({ until }) => until > now);
    const waiting = counts.filter(isWaiting);
    const tried = counts.map((one) => (isWaiting(one) ? { ...one, status: 'failed' as const } : one));
    const failures = tried.filter(isFailed);
    const [sent, failed] = [sum(tried.filter(isSent)), sum(failures)];
    const failureRate = sent + failed === 0 ? 0 : failed / (sent + failed);
    const isFailing = failureRate >= FAILING_RATE || openCircuits.length > 0;
    return {
      windowMinutes: WINDOW_MINUTES,
      sent,
      failed,
      retrying: sum(waiting),
      failureRate,
      byReason: countBy(failures, ({ errorCode }) => errorCode ?? 'unknown'),
      byPlatform: byName(tried, ({ platform }) => platform),
      byProvider: byName(tried, byPlatformAndProvider(nameProvider, scope, channel)),
      tokensInvalidated: channel === 'push' ? sum(failures.filter(({ reason }) => reason === 'dead')) : 0,
      oldestQueuedAgeSeconds: oldest === null ? 0 : Math.max(0, Math.floor((now.getTime() - oldest.getTime()) / 1_000)),
      openCircuits,
      status: isFailing ? 'failing' : failureRate >= DEGRADED_RATE ? 'degraded' : 'ok',
    };
  };
