import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { ApnsEnvironment } from '../../../foundation/device-platform.ts';
import type { SettingsProblem } from '../port.ts';

/** A project's APNs settings. `key` is the content of Apple's .p8 file: PKCS #8, PEM. */
export type ApnsSettings = {
  /** Key id: 10 capitals or digits. */
  readonly keyId: string;
  /** Team id of the developer account: 10 capitals or digits. */
  readonly teamId: string;
  readonly key: string;
  /** The app's bundle id. */
  readonly topic: string;
  /** Used for tokens whose own environment is unknown. */
  readonly environment: ApnsEnvironment;
};

const ID = /^[A-Z0-9]{10}$/;
/** A bundle id. Source: Apple, CFBundleIdentifier. */
const TOPIC = /^[A-Za-z0-9][A-Za-z0-9.-]{0,254}$/;

/** The key that signs provider tokens; null if it is not PEM or not on the curve P-256. Throws nothing. */
export const signingKey = (pem: string): KeyObject | null => {
  try {
    const key = createPrivateKey(pem);
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : null;
  } catch {
    return null;
  }
};

/** Problems of the settings; empty if valid. No network. Throws nothing. */
export const checkApns = (settings: ApnsSettings): readonly SettingsProblem[] => {
  const problems: SettingsProblem[] = [];
  const unless = (isRight: boolean, field: keyof ApnsSettings, message: string): void => {
    if (!isRight) problems.push({ field, message });
  };
  unless(ID.test(settings.keyId), 'keyId', 'A key id has 10 capital letters or digits.');
  unless(ID.test(settings.teamId), 'teamId', 'A team id has 10 capital letters or digits.');
  unless(signingKey(settings.key) !== null, 'key', 'The key must be the text of a .p8 file: a P-256 key in PEM.');
  unless(TOPIC.test(settings.topic), 'topic', 'The topic must be a bundle id: letters, digits, "-" and ".".');
  unless(
    settings.environment === 'production' || settings.environment === 'sandbox',
    'environment',
    'The environment is production or sandbox.',
  );
  return problems;
};
