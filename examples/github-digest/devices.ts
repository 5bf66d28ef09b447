import { createECDH, randomBytes } from 'node:crypto';

/** A user who can be reached on every channel. */
export type Reachable = {
  /** One of the senders. */
  readonly userId: string;
  readonly platform: 'ios' | 'android' | 'web';
  /** As the device would report it. */
  readonly token: string;
  /** The address that is sent to: of a browser's subscription only the part that sending needs. */
  readonly address: string;
  /** E.164. Numbers that end in 0001 to 0004 would simulate a provider's rejections. */
  readonly phone: string;
};

/** Bytes of an APNs token, and about as many as a registration token of FCM has. */
const IOS_BYTES = 32;
const ANDROID_BYTES = 120;
/** Bytes of the secret of a subscription. Source: RFC 8291, 3.2. */
const AUTH_BYTES = 16;

/** A browser's PushSubscription as JSON, with its own keys, and the same without what only the browser needs. */
const subscription = (): Pick<Reachable, 'token' | 'address'> => {
  const endpoint = `https://updates.push.services.mozilla.com/wpush/v2/${randomBytes(ANDROID_BYTES).toString('base64url')}`;
  const p256dh = createECDH('prime256v1').generateKeys('base64url');
  const keys = { p256dh, auth: randomBytes(AUTH_BYTES).toString('base64url') };
  return {
    token: JSON.stringify({ endpoint, expirationTime: null, keys }),
    address: JSON.stringify({ endpoint, keys }),
  };
};

const plain = (token: string): Pick<Reachable, 'token' | 'address'> => ({ token, address: token });

/** Three of the senders, each with a new device of another kind, by userId. */
export const reachable = (): ReadonlyMap<string, Reachable> =>
  new Map(
    (
      [
        {
          userId: 'Codertocat',
          platform: 'ios',
          phone: '+15550100101',
          ...plain(randomBytes(IOS_BYTES).toString('hex')),
        },
        {
          userId: 'codebytere',
          platform: 'android',
          phone: '+15550100102',
          ...plain(randomBytes(ANDROID_BYTES).toString('base64url')),
        },
        { userId: 'octocat', platform: 'web', phone: '+15550100103', ...subscription() },
      ] as const
    ).map((one) => [one.userId, one]),
  );
