import { isKey, problemsOf, type SenderSettings } from '../mail-http/settings.ts';
import type { SettingsProblem } from '../port.ts';

/** Settings of one Resend account. */
export type ResendSettings = SenderSettings & { readonly apiKey: string };

/** Problems of the settings. No network. Throws nothing. */
export const checkResend = (settings: ResendSettings): readonly SettingsProblem[] =>
  problemsOf(settings, [['apiKey', isKey(settings.apiKey), 'The API key is needed, without white space.']]);
