import { isKey, problemsOf, type SenderSettings } from '../mail-http/settings.ts';
import type { SettingsProblem } from '../port.ts';

/** Settings of one Postmark server. */
export type PostmarkSettings = SenderSettings & {
  readonly serverToken: string;
  /** Id of a message stream; absent: the server's `outbound`. */
  readonly messageStream?: string | undefined;
};

/** Source: Postmark, Message Streams API. */
const STREAM = /^[a-z][a-z0-9-]{0,29}$/;

/** Problems of the settings. No network. Throws nothing. */
export const checkPostmark = (settings: PostmarkSettings): readonly SettingsProblem[] =>
  problemsOf(settings, [
    ['serverToken', isKey(settings.serverToken), 'The server token is needed, without white space.'],
    [
      'messageStream',
      settings.messageStream === undefined || STREAM.test(settings.messageStream),
      'A message stream is 1 to 30 small letters, digits and hyphens.',
    ],
  ]);
