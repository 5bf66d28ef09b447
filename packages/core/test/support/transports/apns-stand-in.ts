import { type ApnsOptions, type ApnsSettings, apnsTransport } from '../../../src/delivery/transports/apns/apns.ts';
import { APNS_MAX_BYTES, apnsPayload } from '../../../src/delivery/transports/apns/payload.ts';
import type { PushMessage, PushTransport } from '../../../src/delivery/transports/port.ts';
import type { Behaviour, Changes, Oddity, StandIn } from '../../../src/delivery/transports/testing/stand-in.ts';
import { virtualClock } from '../../../src/foundation/clock.ts';
import { type ApnsBehaviour, type ApnsPeer, apnsPeer, apnsToken, p8 } from './apns-peer.ts';
import { HANDED_OVER } from './push-message.ts';
import { pushStandIn } from './push-stand-in.ts';
import { TEST_CA } from './tls/fixtures.ts';

const behaviours: Readonly<Record<Behaviour, ApnsBehaviour>> = {
  accept: 'ok',
  bounce: 'Unregistered',
  refuse: 'DeviceTokenNotForTopic',
  throttle: 'TooManyRequests',
  hang: 'hang',
  drop: 'reset-after',
};

/** Both hosts of APNs, and transports to them with three credentials, the third of which the hosts reject. */
export type ApnsWorld = {
  readonly production: ApnsPeer;
  readonly sandbox: ApnsPeer;
  readonly clock: ReturnType<typeof virtualClock>;
  readonly standIn: StandIn<PushMessage>;
  make(changes?: Changes & Partial<Pick<ApnsOptions, 'sharedToken'>>): PushTransport<ApnsSettings>;
};

const isOdd = (behaviour: Behaviour | Oddity): behaviour is Oddity => !(behaviour in behaviours);

const shown = (payload: string) => {
  const { aps, data } = JSON.parse(payload);
  return { messageId: `${data.serviceMessageId}`, title: `${aps.alert?.title}`, body: `${aps.alert?.body}` };
};

/** Starts the two hosts. They accept 100 requests at once, so that a client has to wait. */
export const apnsWorld = async (takesMs = 0): Promise<ApnsWorld> => {
  const clock = virtualClock(HANDED_OVER);
  const options = { clock, maxConcurrentStreams: 100, takesMs: () => takesMs };
  const [production, sandbox] = await Promise.all([
    apnsPeer({ ...options, environment: 'production' }),
    apnsPeer({ ...options, environment: 'sandbox' }),
  ]);
  const known = (teamId: string): ApnsSettings => {
    const settings = production.settings({ teamId });
    return sandbox.settings(settings);
  };
  const settings = { first: known('TEAM000001'), second: known('TEAM000002'), wrong: known('TEAM000003') };
  const credentials = { ...settings, wrong: { ...settings.wrong, key: p8() } };
  const peers = [production, sandbox];
  const token = (behaviour: Behaviour | Oddity, name: string): string =>
    apnsToken(isOdd(behaviour) ? behaviour : behaviours[behaviour], name);
  return {
    production,
    sandbox,
    clock,
    standIn: pushStandIn({
      peers,
      token,
      arrivals: () =>
        peers.flatMap((peer) =>
          peer.arrived().map(({ payload, connection, headers }) => ({
            ...shown(payload),
            connection: `${peer.origin}/${connection}`,
            credential: `${headers.authorization}`,
          })),
        ),
      maxBytes: APNS_MAX_BYTES,
      render: apnsPayload,
      secrets: [
        'bearer',
        apnsToken('Unregistered').slice(0, 6),
        apnsToken('TooManyRequests').slice(0, 6),
        ...Object.values(credentials).map(({ key }) => key.slice(40, 80)),
      ],
      stop: async () => {
        await Promise.all(peers.map((peer) => peer.stop()));
      },
    }),
    make: ({ limitMs, credential = 'first', log, sharedToken } = {}) =>
      apnsTransport(credentials[credential], {
        clock,
        random: () => 0.5,
        endpoints: { production: production.origin, sandbox: sandbox.origin },
        ca: TEST_CA,
        limitMs,
        log,
        sharedToken,
      }),
  };
};
