import { isKey, problemsOf, type SenderSettings } from '../mail-http/settings.ts';
import type { SettingsProblem } from '../port.ts';

/** An account of Resend. */
export type ResendSettings = SenderSettings & { readonly apiKey: string };

/** What is wrong with settings; asks nobody. Throws nothing. */
export const checkResend = (settings: ResendSettings): readonly SettingsProblem[] =>
  problemsOf(settings, [['apiKey', isKey(settings.apiKey), 'The API key is needed, without white space.']]);
