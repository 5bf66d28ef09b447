import { type FcmSettings, fcmTransport } from '../../../src/delivery/transports/fcm/fcm.ts';
import { FCM_MAX_BYTES, fcmMessage } from '../../../src/delivery/transports/fcm/payload.ts';
import type { PushMessage, PushTransport } from '../../../src/delivery/transports/port.ts';
import type { Behaviour, Changes, Oddity, StandIn } from '../../../src/delivery/transports/testing/stand-in.ts';
import { virtualClock } from '../../../src/foundation/clock.ts';
import { type FcmBehaviour, type FcmPeer, fcmPeer, fcmToken, rsaKey } from './fcm-peer.ts';
import { HANDED_OVER } from './push-message.ts';
import { pushStandIn } from './push-stand-in.ts';
import { TEST_CA } from './tls/fixtures.ts';

const behaviours: Readonly<Record<Behaviour | Oddity, FcmBehaviour>> = {
  accept: 'ok',
  bounce: 'unregistered',
  refuse: 'bad-argument',
  throttle: 'quota',
  hang: 'hang',
  drop: 'reset-after',
  'wait-seconds': 'unavailable-wait',
  'wait-date': 'wait-date',
  'hang-body': 'hang-body',
  'reset-early': 'reset-early',
  'reset-midway': 'reset-midway',
  garbage: 'garbage',
  empty: 'empty',
  huge: 'huge',
};
/** Index of a key that no stand-in accepts. */
const STRANGE_KEY = 9;

/** FCM and its token endpoint, and transports to them with three credentials, the third of which they reject. */
export type FcmWorld = {
  readonly peer: FcmPeer;
  readonly clock: ReturnType<typeof virtualClock>;
  readonly standIn: StandIn<PushMessage>;
  /** Settings of the first credential. */
  readonly settings: FcmSettings;
  make(changes?: Changes & { readonly settings?: FcmSettings }): PushTransport<FcmSettings>;
};

/** Starts both. */
export const fcmWorld = async (): Promise<FcmWorld> => {
  const clock = virtualClock(HANDED_OVER);
  const peer = await fcmPeer({ clock });
  const [first, second] = [peer.settings('first'), peer.settings('second')];
  const wrong = { serviceAccount: { ...first.serviceAccount, private_key: rsaKey(STRANGE_KEY) } };
  const credentials = { first, second, wrong };
  return {
    peer,
    clock,
    settings: first,
    standIn: pushStandIn({
      peers: [peer],
      token: (behaviour, name) => fcmToken(behaviours[behaviour], name),
      arrivals: () =>
        peer.arrived().map(({ message: { notification, data }, connection, headers }) => ({
          messageId: `${data['serviceMessageId']}`,
          title: `${notification?.title}`,
          body: `${notification?.body}`,
          connection,
          credential: `${headers.authorization}`,
        })),
      maxBytes: FCM_MAX_BYTES,
      render: (message) => fcmMessage(message, undefined),
      secrets: [
        'play=',
        'ya29.',
        'iam.gserviceaccount',
        ...[first, second, wrong].map(({ serviceAccount }) => serviceAccount.private_key.slice(60, 120)),
      ],
      stop: peer.stop,
    }),
    make: ({ limitMs, credential = 'first', log, settings = credentials[credential] } = {}) =>
      fcmTransport(settings, {
        clock,
        random: () => 0.5,
        endpoint: peer.origin,
        ca: TEST_CA,
        tokenUris: [peer.tokens.uri],
        net: { allowCidrs: ['127.0.0.0/8'] },
        limitMs,
        log,
      }),
  };
};
