import { z } from 'zod';
import { providerAnswers } from '../../delivery/providers/answers.ts';
import { PROVIDERS } from '../../delivery/providers/names.ts';
import { answersOf } from '../../foundation/answers.ts';
import { SEND_CLASSES } from '../../foundation/channel.ts';
import { callbackAnswers } from '../callbacks/answers.ts';
import type { Answers } from './answers.generated.ts';
import { DAYS } from './schema.ts';

const quietHours = () =>
  z
    .object({
      enabled: z.boolean().describe('Whether quiet hours apply.'),
      start: z.string().describe("Start in the user's local time, such as `22:00`."),
      end: z.string().describe("End in the user's local time, such as `08:00`."),
      days: z.array(z.enum(DAYS)).describe('Local days on which quiet hours start; empty: every day.'),
      behavior: z.enum(['defer', 'suppress']).describe('Whether messages wait for the end or are suppressed.'),
      maxDeferMinutes: z.int().describe('Longest wait of a message, in minutes; a longer one suppresses it.'),
      exemptClasses: z.array(z.enum(SEND_CLASSES)).describe('Classes of sends that ignore quiet hours.'),
    })
    .describe('Local hours in which messages wait or are suppressed.');

const frequencyCap = () =>
  z
    .object({
      enabled: z.boolean().describe('Whether the rules apply.'),
      rules: z
        .array(
          z.object({
            channel: z.enum(['push', 'email', 'sms', 'all']).describe('Channel that the rule counts.'),
            max: z.int().describe('Maximum number of messages per user in the window.'),
            per: z
              .object({
                n: z.int().describe('Number of units.'),
                unit: z.enum(['minute', 'hour', 'day', 'week']).describe('Unit; a day is 24 hours.'),
              })
              .describe('Length of the rolling window.'),
            class: z.enum([...SEND_CLASSES, 'all']).describe('Class of sends that the rule counts.'),
          }),
        )
        .describe('Rules; a message must satisfy all of them.'),
    })
    .describe('Maximum number of messages per user.');

const shared = () => ({
  quietHours: quietHours(),
  orgDefaultTimezone: z
    .string()
    .nullable()
    .describe('IANA time zone of users without one, such as `Europe/Paris`; null: quiet hours do not apply to them.'),
  frequencyCap: frequencyCap(),
  addressFromTraits: z
    .boolean()
    .describe('Whether the traits `email` and `phone` are used if the profile has no address of its own.'),
});

/** Answer schemas of settings. */
export const settingsAnswers = answersOf<Answers>()(() => {
  const { ProviderState, ProviderTest } = providerAnswers();
  const { CallbackState } = callbackAnswers();
  const credentials = (name: string) => ProviderState.describe(`Credentials of ${name}.`);
  const callbacks = (name: string) => CallbackState.describe(`Delivery webhooks of ${name}.`);
  const common = shared();
  return {
    EmailSettings: z
      .object({
        smtp: credentials('the SMTP server'),
        ses: credentials('Amazon SES'),
        sendgrid: credentials('SendGrid'),
        postmark: credentials('Postmark'),
        mailgun: credentials('Mailgun'),
        resend: credentials('Resend'),
        tracking: z
          .object({
            opens: z.boolean().describe('Whether opens are tracked.'),
            clicks: z.boolean().describe('Whether clicks are tracked.'),
          })
          .describe(
            'Tracking of emails whose send does not set it. Has no effect without the public URL of the server.',
          ),
        callbacks: z
          .object({
            ses: callbacks('Amazon SES'),
            sendgrid: callbacks('SendGrid'),
            postmark: callbacks('Postmark'),
            mailgun: callbacks('Mailgun'),
            resend: callbacks('Resend'),
          })
          .describe('Delivery webhooks by provider.'),
        providers: z
          .array(z.enum(PROVIDERS.email))
          .describe('Providers in the order of their use; empty: all configured ones.'),
        bounceDomain: z
          .string()
          .nullable()
          .describe('Domain of the return paths that receive bounces; null: bounces go to the From address.'),
        ...common,
      })
      .describe('Settings of channel `email`.'),
    PushSettings: z
      .object({
        apns: credentials('APNs'),
        fcm: credentials('FCM'),
        webpush: credentials('Web Push'),
        reactivateOnRegister: z
          .boolean()
          .describe('Whether an inactive device becomes active when it registers again.'),
        ...common,
      })
      .describe('Settings of channel `push`.'),
    SmsSettings: z
      .object({
        twilio: credentials('Twilio'),
        telnyx: credentials('Telnyx'),
        providers: z
          .array(z.enum(PROVIDERS.sms))
          .describe('Providers in the order of their use; empty: all configured ones.'),
        ...common,
      })
      .describe('Settings of channel `sms`.'),
    ProviderTests: z
      .object({ results: z.array(ProviderTest).describe('One result per configured provider.') })
      .describe('Results of a test of the credentials of a channel.'),
  };
});
