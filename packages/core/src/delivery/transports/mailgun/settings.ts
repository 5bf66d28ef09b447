import { isKey, problemsOf, type SenderSettings } from '../mail-http/settings.ts';
import type { SettingsProblem } from '../port.ts';

/** Settings of one Mailgun domain. */
export type MailgunSettings = SenderSettings & {
  readonly apiKey: string;
  /** The domain registered at Mailgun; it may differ from the sender's. */
  readonly domain: string;
  readonly region: 'us' | 'eu';
};

// The domain becomes part of the path. Source: transports, Rules for every transport (5).
const DOMAIN = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/i;

/** Problems of the settings. No network. Throws nothing. */
export const checkMailgun = (settings: MailgunSettings): readonly SettingsProblem[] =>
  problemsOf(settings, [
    ['apiKey', isKey(settings.apiKey), 'The API key is needed, without white space.'],
    ['domain', DOMAIN.test(settings.domain), 'A domain is a name such as mg.example.com.'],
  ]);
