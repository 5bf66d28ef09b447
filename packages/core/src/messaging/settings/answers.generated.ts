// Made of the schemas in answers.ts by `npm run openapi`.

import type { ProviderState, ProviderTest } from '../../delivery/providers/answers.generated.ts';
import type { CallbackState } from '../callbacks/answers.generated.ts';

/** Settings of channel `email`. */
export interface EmailSettings {
  /** Credentials of the SMTP server. */
  readonly smtp: ProviderState;
  /** Credentials of Amazon SES. */
  readonly ses: ProviderState;
  /** Credentials of SendGrid. */
  readonly sendgrid: ProviderState;
  /** Credentials of Postmark. */
  readonly postmark: ProviderState;
  /** Credentials of Mailgun. */
  readonly mailgun: ProviderState;
  /** Credentials of Resend. */
  readonly resend: ProviderState;
  /** Tracking of emails whose send does not set it. Has no effect without the public URL of the server. */
  readonly tracking: {
    /** Whether opens are tracked. */
    readonly opens: boolean;
    /** Whether clicks are tracked. */
    readonly clicks: boolean;
  };
  /** Delivery webhooks by provider. */
  readonly callbacks: {
    /** Delivery webhooks of Amazon SES. */
    readonly ses: CallbackState;
    /** Delivery webhooks of SendGrid. */
    readonly sendgrid: CallbackState;
    /** Delivery webhooks of Postmark. */
    readonly postmark: CallbackState;
    /** Delivery webhooks of Mailgun. */
    readonly mailgun: CallbackState;
    /** Delivery webhooks of Resend. */
    readonly resend: CallbackState;
  };
  /** Providers in the order of their use; empty: all configured ones. */
  readonly providers: readonly ('smtp' | 'ses' | 'sendgrid' | 'postmark' | 'mailgun' | 'resend')[];
  /** Domain of the return paths that receive bounces; null: bounces go to the From address. */
  readonly bounceDomain: string | null;
  /** Local hours in which messages wait or are suppressed. */
  readonly quietHours: {
    /** Whether quiet hours apply. */
    readonly enabled: boolean;
    /** Start in the user's local time, such as `22:00`. */
    readonly start: string;
    /** End in the user's local time, such as `08:00`. */
    readonly end: string;
    /** Local days on which quiet hours start; empty: every day. */
    readonly days: readonly ('sun' | 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat')[];
    /** Whether messages wait for the end or are suppressed. */
    readonly behavior: 'defer' | 'suppress';
    /** Longest wait of a message, in minutes; a longer one suppresses it. */
    readonly maxDeferMinutes: number;
    /** Classes of sends that ignore quiet hours. */
    readonly exemptClasses: readonly ('marketing' | 'transactional')[];
  };
  /** IANA time zone of users without one, such as `Europe/Paris`; null: quiet hours do not apply to them. */
  readonly orgDefaultTimezone: string | null;
  /** Maximum number of messages per user. */
  readonly frequencyCap: {
    /** Whether the rules apply. */
    readonly enabled: boolean;
    /** Rules; a message must satisfy all of them. */
    readonly rules: readonly {
      /** Channel that the rule counts. */
      readonly channel: 'push' | 'email' | 'sms' | 'all';
      /** Maximum number of messages per user in the window. */
      readonly max: number;
      /** Length of the rolling window. */
      readonly per: {
        /** Number of units. */
        readonly n: number;
        /** Unit; a day is 24 hours. */
        readonly unit: 'minute' | 'hour' | 'day' | 'week';
      };
      /** Class of sends that the rule counts. */
      readonly class: 'marketing' | 'transactional' | 'all';
    }[];
  };
  /** Whether the traits `email` and `phone` are used if the profile has no address of its own. */
  readonly addressFromTraits: boolean;
}

/** Settings of channel `push`. */
export interface PushSettings {
  /** Credentials of APNs. */
  readonly apns: ProviderState;
  /** Credentials of FCM. */
  readonly fcm: ProviderState;
  /** Credentials of Web Push. */
  readonly webpush: ProviderState;
  /** Whether an inactive device becomes active when it registers again. */
  readonly reactivateOnRegister: boolean;
  /** Local hours in which messages wait or are suppressed. */
  readonly quietHours: {
    /** Whether quiet hours apply. */
    readonly enabled: boolean;
    /** Start in the user's local time, such as `22:00`. */
    readonly start: string;
    /** End in the user's local time, such as `08:00`. */
    readonly end: string;
    /** Local days on which quiet hours start; empty: every day. */
    readonly days: readonly ('sun' | 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat')[];
    /** Whether messages wait for the end or are suppressed. */
    readonly behavior: 'defer' | 'suppress';
    /** Longest wait of a message, in minutes; a longer one suppresses it. */
    readonly maxDeferMinutes: number;
    /** Classes of sends that ignore quiet hours. */
    readonly exemptClasses: readonly ('marketing' | 'transactional')[];
  };
  /** IANA time zone of users without one, such as `Europe/Paris`; null: quiet hours do not apply to them. */
  readonly orgDefaultTimezone: string | null;
  /** Maximum number of messages per user. */
  readonly frequencyCap: {
    /** Whether the rules apply. */
    readonly enabled: boolean;
    /** Rules; a message must satisfy all of them. */
    readonly rules: readonly {
      /** Channel that the rule counts. */
      readonly channel: 'push' | 'email' | 'sms' | 'all';
      /** Maximum number of messages per user in the window. */
      readonly max: number;
      /** Length of the rolling window. */
      readonly per: {
        /** Number of units. */
        readonly n: number;
        /** Unit; a day is 24 hours. */
        readonly unit: 'minute' | 'hour' | 'day' | 'week';
      };
      /** Class of sends that the rule counts. */
      readonly class: 'marketing' | 'transactional' | 'all';
    }[];
  };
  /** Whether the traits `email` and `phone` are used if the profile has no address of its own. */
  readonly addressFromTraits: boolean;
}

/** Settings of channel `sms`. */
export interface SmsSettings {
  /** Credentials of Twilio. */
  readonly twilio: ProviderState;
  /** Credentials of Telnyx. */
  readonly telnyx: ProviderState;
  /** Providers in the order of their use; empty: all configured ones. */
  readonly providers: readonly ('twilio' | 'telnyx')[];
  /** Local hours in which messages wait or are suppressed. */
  readonly quietHours: {
    /** Whether quiet hours apply. */
    readonly enabled: boolean;
    /** Start in the user's local time, such as `22:00`. */
    readonly start: string;
    /** End in the user's local time, such as `08:00`. */
    readonly end: string;
    /** Local days on which quiet hours start; empty: every day. */
    readonly days: readonly ('sun' | 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat')[];
    /** Whether messages wait for the end or are suppressed. */
    readonly behavior: 'defer' | 'suppress';
    /** Longest wait of a message, in minutes; a longer one suppresses it. */
    readonly maxDeferMinutes: number;
    /** Classes of sends that ignore quiet hours. */
    readonly exemptClasses: readonly ('marketing' | 'transactional')[];
  };
  /** IANA time zone of users without one, such as `Europe/Paris`; null: quiet hours do not apply to them. */
  readonly orgDefaultTimezone: string | null;
  /** Maximum number of messages per user. */
  readonly frequencyCap: {
    /** Whether the rules apply. */
    readonly enabled: boolean;
    /** Rules; a message must satisfy all of them. */
    readonly rules: readonly {
      /** Channel that the rule counts. */
      readonly channel: 'push' | 'email' | 'sms' | 'all';
      /** Maximum number of messages per user in the window. */
      readonly max: number;
      /** Length of the rolling window. */
      readonly per: {
        /** Number of units. */
        readonly n: number;
        /** Unit; a day is 24 hours. */
        readonly unit: 'minute' | 'hour' | 'day' | 'week';
      };
      /** Class of sends that the rule counts. */
      readonly class: 'marketing' | 'transactional' | 'all';
    }[];
  };
  /** Whether the traits `email` and `phone` are used if the profile has no address of its own. */
  readonly addressFromTraits: boolean;
}

/** Results of a test of the credentials of a channel. */
export interface ProviderTests {
  /** One result per configured provider. */
  readonly results: readonly ProviderTest[];
}

/** The types of this module's answers, by their names. */
export interface Answers {
  readonly EmailSettings: EmailSettings;
  readonly PushSettings: PushSettings;
  readonly SmsSettings: SmsSettings;
  readonly ProviderTests: ProviderTests;
}
