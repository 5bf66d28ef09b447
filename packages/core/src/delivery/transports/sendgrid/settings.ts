import { isKey, problemsOf, type SenderSettings } from '../mail-http/settings.ts';
import type { SettingsProblem } from '../port.ts';

/** An account of SendGrid. */
export type SendGridSettings = SenderSettings & {
  readonly apiKey: string;
  /** Where the account's data is kept. */
  readonly region: 'global' | 'eu';
};

/** What is wrong with settings; asks nobody. Throws nothing. */
export const checkSendGrid = (settings: SendGridSettings): readonly SettingsProblem[] =>
  problemsOf(settings, [['apiKey', isKey(settings.apiKey), 'The API key is needed, without white space.']]);
