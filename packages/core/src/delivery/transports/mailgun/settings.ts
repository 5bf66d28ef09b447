import { isKey, problemsOf, type SenderSettings } from '../mail-http/settings.ts';
import type { SettingsProblem } from '../port.ts';

/** A domain of Mailgun. */
export type MailgunSettings = SenderSettings & {
  readonly apiKey: string;
  /** As Mailgun knows it; need not be that of the sender. */
  readonly domain: string;
  readonly region: 'us' | 'eu';
};

// The domain becomes a part of the path. Source: transports, Rules for every transport (5).
const DOMAIN = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/i;

/** What is wrong with settings; asks nobody. Throws nothing. */
export const checkMailgun = (settings: MailgunSettings): readonly SettingsProblem[] =>
  problemsOf(settings, [
    ['apiKey', isKey(settings.apiKey), 'The API key is needed, without white space.'],
    ['domain', DOMAIN.test(settings.domain), 'A domain is a name such as mg.example.com.'],
  ]);
