import { isKey, problemsOf, type SenderSettings } from '../mail-http/settings.ts';
import type { SettingsProblem } from '../port.ts';

/** Settings of one SendGrid account. */
export type SendGridSettings = SenderSettings & {
  readonly apiKey: string;
  /** Region of the account's data. */
  readonly region: 'global' | 'eu';
};

/** Problems of the settings. No network. Throws nothing. */
export const checkSendGrid = (settings: SendGridSettings): readonly SettingsProblem[] =>
  problemsOf(settings, [['apiKey', isKey(settings.apiKey), 'The API key is needed, without white space.']]);
