// Made of the schemas in answers.ts by `npm run openapi`.

import type { EmailContent, PushContent, SmsContent } from '../../delivery/transports/sandbox/answers.generated.ts';

/** A problem of a template that does not prevent saving it. */
export interface TemplateWarning {
  /** Field of the warning, such as `data.url`; null for the whole content. */
  readonly path: string | null;
  /** Stable code, such as `unknown_variable` or `payload_too_large`. */
  readonly code: string;
  /** The warning, in one sentence. */
  readonly message: string;
}

/** Id and name of a template. */
export interface TemplateSummary {
  /** Id of the template. */
  readonly id: string;
  /** Name of the template. */
  readonly name: string;
}

/** A template without its content. */
export interface TemplateRow {
  /** Id of the template. */
  readonly id: string;
  /** Name of the template. */
  readonly name: string;
  /** Organization of the template. */
  readonly orgId: string;
  /** Project of the template. */
  readonly projectId: string;
  /** Channel of the template. */
  readonly channel: 'push' | 'email' | 'sms';
  /** Increases with every change, from 1; a send keeps the version of its acceptance. */
  readonly version: number;
  /** When the template was created. */
  readonly createdAt: Date;
  /** When this version was saved. */
  readonly updatedAt: Date;
}

/** A saved template without its content. */
export interface TemplateRowSaved extends TemplateRow {
  /** Problems of the template. */
  readonly warnings: readonly TemplateWarning[];
}

/** A rendered push template. */
export interface PushPreview {
  /** Id of the template. */
  readonly templateId: string;
  /** Version of the template. */
  readonly version: number;
  /** Status that a message would have. */
  readonly status: 'queued' | 'suppressed' | 'failed';
  /** Why the message would not be sent; null if it would. */
  readonly reason: 'no_address' | 'no_token' | 'token_inactive' | 'bounced_address' | 'complained_address' | 'sms_stopped' | 'unsubscribed' | 'locale_unsupported' | 'duplicate' | 'empty_body' | 'frequency_cap' | 'quiet_hours' | 'content_missing' | 'too_large' | 'too_many_segments' | 'unsafe_url' | null;
  /** Variables without value or default; they render as empty text. */
  readonly unresolved: readonly string[];
  /** Problems of the template. */
  readonly warnings: readonly TemplateWarning[];
  /** Channel. */
  readonly channel: 'push';
  /** The rendered message; null if there is nothing to show. */
  readonly content: PushContent | null;
}

/** A rendered email template. */
export interface EmailPreview {
  /** Id of the template. */
  readonly templateId: string;
  /** Version of the template. */
  readonly version: number;
  /** Status that a message would have. */
  readonly status: 'queued' | 'suppressed' | 'failed';
  /** Why the message would not be sent; null if it would. */
  readonly reason: 'no_address' | 'no_token' | 'token_inactive' | 'bounced_address' | 'complained_address' | 'sms_stopped' | 'unsubscribed' | 'locale_unsupported' | 'duplicate' | 'empty_body' | 'frequency_cap' | 'quiet_hours' | 'content_missing' | 'too_large' | 'too_many_segments' | 'unsafe_url' | null;
  /** Variables without value or default; they render as empty text. */
  readonly unresolved: readonly string[];
  /** Problems of the template. */
  readonly warnings: readonly TemplateWarning[];
  /** Channel. */
  readonly channel: 'email';
  /** The rendered message; null if there is nothing to show. */
  readonly content: EmailContent | null;
}

/** A rendered SMS template. */
export interface SmsPreview {
  /** Id of the template. */
  readonly templateId: string;
  /** Version of the template. */
  readonly version: number;
  /** Status that a message would have. */
  readonly status: 'queued' | 'suppressed' | 'failed';
  /** Why the message would not be sent; null if it would. */
  readonly reason: 'no_address' | 'no_token' | 'token_inactive' | 'bounced_address' | 'complained_address' | 'sms_stopped' | 'unsubscribed' | 'locale_unsupported' | 'duplicate' | 'empty_body' | 'frequency_cap' | 'quiet_hours' | 'content_missing' | 'too_large' | 'too_many_segments' | 'unsafe_url' | null;
  /** Variables without value or default; they render as empty text. */
  readonly unresolved: readonly string[];
  /** Problems of the template. */
  readonly warnings: readonly TemplateWarning[];
  /** Channel. */
  readonly channel: 'sms';
  /** The rendered message; null if there is nothing to show. */
  readonly content: SmsContent | null;
}

/** The types of this module's answers, by their names. */
export interface Answers {
  readonly TemplateWarning: TemplateWarning;
  readonly TemplateSummary: TemplateSummary;
  readonly TemplateRow: TemplateRow;
  readonly TemplateRowSaved: TemplateRowSaved;
  readonly PushPreview: PushPreview;
  readonly EmailPreview: EmailPreview;
  readonly SmsPreview: SmsPreview;
}
