import { isKey, problemsOf, type SenderSettings } from '../mail-http/settings.ts';
import type { SettingsProblem } from '../port.ts';
import type { AwsKeys } from './sign.ts';

/** Settings of one Amazon SES account. */
export type SesSettings = SenderSettings &
  AwsKeys & {
    /** Such as `eu-central-1`: the region where the sending identity was verified. */
    readonly region: string;
    /** Its event destinations report bounces and complaints. */
    readonly configurationSet?: string | undefined;
  };

// The region becomes part of the host. Source: transports, Rules for every transport (5).
const REGION = /^[a-z]{2}(?:-[a-z]{2,12}){1,3}-\d{1,2}$/;
const ACCESS_KEY = /^[A-Z0-9]{16,128}$/;
/** Source: SES v2, CreateConfigurationSet. */
const CONFIGURATION_SET = /^[\w-]{1,64}$/;

/** Problems of the settings. No network. Throws nothing. */
export const checkSes = (settings: SesSettings): readonly SettingsProblem[] =>
  problemsOf(settings, [
    [
      'accessKeyId',
      ACCESS_KEY.test(settings.accessKeyId),
      'An access key id is 16 or more capital letters and digits.',
    ],
    ['secretAccessKey', isKey(settings.secretAccessKey), 'The secret access key is needed, without white space.'],
    [
      'sessionToken',
      settings.sessionToken === undefined || /^[\x21-\x7e]{1,4096}$/.test(settings.sessionToken),
      'A session token has no white space.',
    ],
    ['region', REGION.test(settings.region), 'A region is a name such as eu-central-1.'],
    [
      'configurationSet',
      settings.configurationSet === undefined || CONFIGURATION_SET.test(settings.configurationSet),
      'A configuration set is 1 to 64 letters, digits, hyphens and underscores.',
    ],
  ]);
