// Made of the schemas in answers.ts by `npm run openapi`.

import type { EmailContent, PushContent, SmsContent } from '../../delivery/transports/sandbox/answers.generated.ts';
import type { TemplateWarning } from '../templates/answers.generated.ts';

/** A send of channel `email`. */
export interface EmailSend {
  /** Id of the send. */
  readonly id: string;
  /** Organization of the send. */
  readonly orgId: string;
  /** Project of the send. */
  readonly projectId: string;
  /** Environment of the send. */
  readonly environment: 'prod' | 'test';
  /** Status; a scheduled send is `queued`. */
  readonly status: 'queued' | 'sending' | 'sent' | 'suppressed' | 'failed' | 'cancelled';
  /** Origin: an API request, a workflow step, a request for an audience, or sign-in of an end user. */
  readonly source: 'api' | 'workflow' | 'audience' | 'auth';
  /** Class; frequency caps and quiet hours apply to `marketing`. */
  readonly class: 'marketing' | 'transactional';
  /** Subscription category; null if there is none. */
  readonly category: string | null;
  /** Labels that the caller set. */
  readonly tags: Readonly<Record<string, string>>;
  /** A/B test of the send; null if there is none. */
  readonly abTestId: string | null;
  /** Audience whose members receive the send; null if the request named its recipients. */
  readonly audienceId: string | null;
  /** Messages of the send: one for each address or device. */
  readonly tokenCount: number;
  /** Workflow run that sent it; null if no workflow did. */
  readonly workflowRunId: string | null;
  /** Workflow step that sent it; null if no workflow did. */
  readonly stepPath: string | null;
  /** Stored template of the content; null if there is none. */
  readonly templateId: string | null;
  /** Version of the template at acceptance; null without a template. */
  readonly templateVersion: number | null;
  /** Requested start; null if the send starts at once. */
  readonly scheduledFor: Date | null;
  /** When the send was accepted. */
  readonly createdAt: Date;
  /** When the first message was sent; null before that. */
  readonly startedAt: Date | null;
  /** When the last message ended; null before that. */
  readonly finishedAt: Date | null;
  /** When the send was cancelled; null if it was not. */
  readonly cancelledAt: Date | null;
  /** Numbers of messages by result, and of opens and clicks. */
  readonly counts: {
    /** Messages of the send. */
    readonly targeted: number;
    /** Messages that wait to be sent. */
    readonly queued: number;
    /** Messages that wait for the end of quiet hours; `queued` does not include them. */
    readonly deferred: number;
    /** Messages that a provider accepted. */
    readonly sent: number;
    /** Messages that a provider reported as delivered. */
    readonly delivered: number;
    /** Messages that bounced. */
    readonly bounced: number;
    /** Messages that failed. */
    readonly failed: number;
    /** Messages that Beckon did not send, for example because of an opt-out. */
    readonly suppressed: number;
    /** Opens by people, repeated ones included. */
    readonly opened: number;
    /** Clicks by people, repeated ones included. */
    readonly clicked: number;
    /** Messages that were opened at least once. */
    readonly uniqueOpened: number;
    /** Messages that were clicked at least once. */
    readonly uniqueClicked: number;
    /** Emails opened by programs such as privacy proxies; no other count includes these opens. */
    readonly machineOpened: number;
  };
  /** Suppressed messages by reason; null beyond 10,000 messages of a send or a page. */
  readonly suppressedByReason: Readonly<Partial<Record<'no_address' | 'no_token' | 'token_inactive' | 'bounced_address' | 'complained_address' | 'sms_stopped' | 'unsubscribed' | 'locale_unsupported' | 'duplicate' | 'empty_body' | 'frequency_cap' | 'quiet_hours' | 'held' | 'unreachable' | 'dead' | 'bounced' | 'opted_out', number>>> | null;
  /** Push messages by device platform, empty for other channels; null as in `suppressedByReason`. */
  readonly byPlatform: Readonly<Partial<Record<'ios' | 'android' | 'web', {
    /** Messages that a provider accepted. */
    readonly sent: number;
    /** Messages whose last attempt failed. */
    readonly failed: number;
  }>>> | null;
  /** What failed, in one sentence; null if nothing did. */
  readonly error: string | null;
  /** `no_recipients`, or the code of the first failed message or of a retried attempt; null if nothing failed. */
  readonly errorCode: string | null;
  /** Ignored keys of the request and unresolved variables; only in the response to a send request. */
  readonly warnings?: readonly string[] | undefined;
  /** Channel. */
  readonly channel: 'email';
  /** Subject before variables are replaced; null if a template provides it. */
  readonly subject: string | null;
}

/** A send of channel `push` or `sms`. */
export interface PushOrSmsSend {
  /** Id of the send. */
  readonly id: string;
  /** Organization of the send. */
  readonly orgId: string;
  /** Project of the send. */
  readonly projectId: string;
  /** Environment of the send. */
  readonly environment: 'prod' | 'test';
  /** Status; a scheduled send is `queued`. */
  readonly status: 'queued' | 'sending' | 'sent' | 'suppressed' | 'failed' | 'cancelled';
  /** Origin: an API request, a workflow step, a request for an audience, or sign-in of an end user. */
  readonly source: 'api' | 'workflow' | 'audience' | 'auth';
  /** Class; frequency caps and quiet hours apply to `marketing`. */
  readonly class: 'marketing' | 'transactional';
  /** Subscription category; null if there is none. */
  readonly category: string | null;
  /** Labels that the caller set. */
  readonly tags: Readonly<Record<string, string>>;
  /** A/B test of the send; null if there is none. */
  readonly abTestId: string | null;
  /** Audience whose members receive the send; null if the request named its recipients. */
  readonly audienceId: string | null;
  /** Messages of the send: one for each address or device. */
  readonly tokenCount: number;
  /** Workflow run that sent it; null if no workflow did. */
  readonly workflowRunId: string | null;
  /** Workflow step that sent it; null if no workflow did. */
  readonly stepPath: string | null;
  /** Stored template of the content; null if there is none. */
  readonly templateId: string | null;
  /** Version of the template at acceptance; null without a template. */
  readonly templateVersion: number | null;
  /** Requested start; null if the send starts at once. */
  readonly scheduledFor: Date | null;
  /** When the send was accepted. */
  readonly createdAt: Date;
  /** When the first message was sent; null before that. */
  readonly startedAt: Date | null;
  /** When the last message ended; null before that. */
  readonly finishedAt: Date | null;
  /** When the send was cancelled; null if it was not. */
  readonly cancelledAt: Date | null;
  /** Numbers of messages by result, and of opens and clicks. */
  readonly counts: {
    /** Messages of the send. */
    readonly targeted: number;
    /** Messages that wait to be sent. */
    readonly queued: number;
    /** Messages that wait for the end of quiet hours; `queued` does not include them. */
    readonly deferred: number;
    /** Messages that a provider accepted. */
    readonly sent: number;
    /** Messages that a provider reported as delivered. */
    readonly delivered: number;
    /** Messages that bounced. */
    readonly bounced: number;
    /** Messages that failed. */
    readonly failed: number;
    /** Messages that Beckon did not send, for example because of an opt-out. */
    readonly suppressed: number;
    /** Opens by people, repeated ones included. */
    readonly opened: number;
    /** Clicks by people, repeated ones included. */
    readonly clicked: number;
    /** Messages that were opened at least once. */
    readonly uniqueOpened: number;
    /** Messages that were clicked at least once. */
    readonly uniqueClicked: number;
    /** Emails opened by programs such as privacy proxies; no other count includes these opens. */
    readonly machineOpened: number;
  };
  /** Suppressed messages by reason; null beyond 10,000 messages of a send or a page. */
  readonly suppressedByReason: Readonly<Partial<Record<'no_address' | 'no_token' | 'token_inactive' | 'bounced_address' | 'complained_address' | 'sms_stopped' | 'unsubscribed' | 'locale_unsupported' | 'duplicate' | 'empty_body' | 'frequency_cap' | 'quiet_hours' | 'held' | 'unreachable' | 'dead' | 'bounced' | 'opted_out', number>>> | null;
  /** Push messages by device platform, empty for other channels; null as in `suppressedByReason`. */
  readonly byPlatform: Readonly<Partial<Record<'ios' | 'android' | 'web', {
    /** Messages that a provider accepted. */
    readonly sent: number;
    /** Messages whose last attempt failed. */
    readonly failed: number;
  }>>> | null;
  /** What failed, in one sentence; null if nothing did. */
  readonly error: string | null;
  /** `no_recipients`, or the code of the first failed message or of a retried attempt; null if nothing failed. */
  readonly errorCode: string | null;
  /** Ignored keys of the request and unresolved variables; only in the response to a send request. */
  readonly warnings?: readonly string[] | undefined;
  /** Channel. */
  readonly channel: 'push' | 'sms';
  /** Title before variables are replaced; null if there is none. */
  readonly title: string | null;
}

/** One accepted request to reach recipients on one channel. */
export type Send = EmailSend | PushOrSmsSend;

/** A send of channel `sms`, with the length of its text. */
export interface SmsSend extends PushOrSmsSend {
  /** Segments of the SMS; null if the text has variables and is not rendered yet. */
  readonly segments: number | null;
  /** Encoding of the SMS; null if the text has variables and is not rendered yet. */
  readonly encoding: 'GSM-7' | 'UCS-2' | null;
}

/** One send to one address or device. */
export interface Message {
  /** Id of the message. */
  readonly id: string;
  /** Send of the message. */
  readonly sendId: string;
  /** Channel. */
  readonly channel: 'push' | 'email' | 'sms';
  /** User who receives the message; null if the address has no user. */
  readonly userId: string | null;
  /** Email address, phone number or device token; null if there is none. */
  readonly address: string | null;
  /** Platform of the device; null unless the channel is `push`. */
  readonly platform: 'ios' | 'android' | 'web' | null;
  /** Recipient, or recipient of a copy of an email. */
  readonly role: 'to' | 'cc' | 'bcc';
  /** Delivery status. */
  readonly status: 'queued' | 'deferred' | 'sending' | 'sent' | 'delivered' | 'bounced' | 'failed' | 'suppressed' | 'cancelled';
  /** Why the message is suppressed or waits, or what the provider reported about its address; else null. */
  readonly reason: 'no_address' | 'no_token' | 'token_inactive' | 'bounced_address' | 'complained_address' | 'sms_stopped' | 'unsubscribed' | 'locale_unsupported' | 'duplicate' | 'empty_body' | 'frequency_cap' | 'quiet_hours' | 'held' | 'unreachable' | 'dead' | 'bounced' | 'opted_out' | null;
  /** Error code of the provider, such as `Unregistered`, or of Beckon, such as `too_large`; null without error. */
  readonly errorCode: string | null;
  /** What failed, in one sentence; null without error. */
  readonly error: string | null;
  /** The provider's id of the message; null until it accepted the message. */
  readonly providerId: string | null;
  /** Attempts so far. */
  readonly attempt: number;
  /** When the message was created. */
  readonly createdAt: Date;
  /** When a deferred message is evaluated again; null if it is not deferred. */
  readonly deferredUntil: Date | null;
  /** When a provider accepted the message; null before that. */
  readonly sentAt: Date | null;
  /** When the provider reported delivery; null if it did not. */
  readonly deliveredAt: Date | null;
  /** First open by a person; null if there is none. */
  readonly openedAt: Date | null;
  /** First click by a person; null if there is none. */
  readonly clickedAt: Date | null;
  /** First click: the button of a push, or the URL of a link in an email; null if there is none. */
  readonly clickAction: string | null;
  /** Whether a program opened the email or followed a link; `openedAt` and `clickedAt` ignore programs. */
  readonly machine: boolean;
  /** When the recipient reported the email as spam; null if they did not. */
  readonly complainedAt: Date | null;
  /** When the recipient unsubscribed through this email; null if they did not. */
  readonly unsubscribedAt: Date | null;
  /** Variant of the A/B test; null if there is none. */
  readonly variant: string | null;
}

/** Result of one check of a message. */
export interface GateVerdict {
  /** Name of the check, such as `address_usable`, `quiet_hours` or `rendering`. */
  readonly gate: string;
  /** `not_reached`: an earlier check stopped the message. `unknown`: its result was not stored. */
  readonly verdict: 'pass' | 'suppressed' | 'deferred' | 'cancelled' | 'failed' | 'not_reached' | 'unknown';
  /** Reason for which the check stopped the message. */
  readonly reason?: 'no_address' | 'no_token' | 'token_inactive' | 'bounced_address' | 'complained_address' | 'sms_stopped' | 'unsubscribed' | 'locale_unsupported' | 'duplicate' | 'empty_body' | 'frequency_cap' | 'quiet_hours' | 'held' | 'unreachable' | 'dead' | 'bounced' | 'opted_out' | null | undefined;
  /** Error code with which the check failed the message. */
  readonly errorCode?: string | null | undefined;
  /** What failed, in one sentence. */
  readonly error?: string | null | undefined;
  /** Until when the check deferred the message. */
  readonly deferredUntil?: Date | undefined;
  /** Values that the check read, by name; of an ended message those that are still stored. */
  readonly evidence: Readonly<Record<string, string | number | boolean | null>>;
}

/** Why a message was sent, waits or was not sent; computed on request. */
export interface MessageExplanation {
  /**
   * `at_acceptance`: suppressed when the send was accepted. `from_record`: ended, read from its stored row. `now`:
   * open, so a worker may find otherwise.
   */
  readonly evaluated: 'at_acceptance' | 'from_record' | 'now';
  /**
   * Check that stopped the message; `provider` if it refused or could not be reached, `worker` if the retries ended;
   * null if nothing did.
   */
  readonly stoppedBy: string | null;
  /** What an open message waits for; null if it ended. */
  readonly waitingFor: {
    /**
     * A worker, the response of the provider, the next attempt, valid credentials, a provider that responds, capacity
     * of the provider, or the end of a deferral.
     */
    readonly kind: 'worker' | 'response' | 'retry' | 'credentials' | 'provider' | 'capacity' | 'deferral';
    /** When the message is due; null if a worker takes it as soon as possible. */
    readonly until: Date | null;
  } | null;
  /** Checks in the order in which they run. */
  readonly gates: readonly GateVerdict[];
}

/** A message with an explanation of its status. */
export interface ExplainedMessage extends Message {
  /** Why the message was sent, waits or was not sent. */
  readonly explanation: MessageExplanation;
}

/** A report that was accepted. */
export interface Reported {
  /** Always true. */
  readonly accepted: true;
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

/** One message of a dry run. */
export type DryRunMessage = {
  /** Recipient user; null if the address has no user. */
  readonly userId: string | null;
  /** Email address, phone number or device token; null if there is none. */
  readonly address: string | null;
  /** Status of the message. */
  readonly status: 'queued';
  /** Always null. */
  readonly reason: null;
  /** The message as its provider would receive it. */
  readonly content: EmailContent | PushContent | SmsContent;
} | {
  /** Recipient user; null if the address has no user. */
  readonly userId: string | null;
  /** Email address, phone number or device token; null if there is none. */
  readonly address: string | null;
  /** Status of the message. */
  readonly status: 'deferred';
  /** Why the message would wait. */
  readonly reason: 'quiet_hours';
  /** End of the quiet hours, when the message is evaluated again. */
  readonly deferredUntil: Date;
  /** The message as its provider would receive it. */
  readonly content: EmailContent | PushContent | SmsContent;
} | {
  /** Recipient user; null if the address has no user. */
  readonly userId: string | null;
  /** Email address, phone number or device token; null if there is none. */
  readonly address: string | null;
  /** Status of the message. */
  readonly status: 'suppressed';
  /** Why the message would not be sent. */
  readonly reason: 'no_address' | 'no_token' | 'token_inactive' | 'bounced_address' | 'complained_address' | 'sms_stopped' | 'unsubscribed' | 'locale_unsupported' | 'duplicate' | 'empty_body' | 'frequency_cap' | 'quiet_hours';
  /** Always null: nothing would be sent. */
  readonly content: null;
} | {
  /** Recipient user; null if the address has no user. */
  readonly userId: string | null;
  /** Email address, phone number or device token; null if there is none. */
  readonly address: string | null;
  /** Status of the message. */
  readonly status: 'failed';
  /** Why the message would fail. */
  readonly reason: 'content_missing' | 'too_large' | 'too_many_segments' | 'unsafe_url' | 'provider_not_configured';
  /** Always null: nothing would be sent. */
  readonly content: null;
};

/** What a send would do; nothing was written. */
export interface DryRun {
  /** Always true. */
  readonly dryRun: true;
  /** Channel. */
  readonly channel: 'push' | 'email' | 'sms';
  /** Recipients of the request. */
  readonly recipients: number;
  /** Messages that would be created, including suppressed ones. */
  readonly tokenCount: number;
  /** Suppressed messages by reason. */
  readonly suppressed: Readonly<Partial<Record<'no_address' | 'no_token' | 'token_inactive' | 'bounced_address' | 'complained_address' | 'sms_stopped' | 'unsubscribed' | 'locale_unsupported' | 'duplicate' | 'empty_body' | 'frequency_cap' | 'quiet_hours', number>>>;
  /** The first messages, rendered; at most 100. */
  readonly messages: readonly DryRunMessage[];
  /** Ignored keys of the request and unresolved variables. */
  readonly warnings?: readonly string[] | undefined;
}

/** A dry run of an SMS. */
export interface SmsDryRun extends DryRun {
  /** Segments of the SMS; null if the text has variables and is not rendered yet. */
  readonly segments: number | null;
  /** Encoding of the SMS; null if the text has variables and is not rendered yet. */
  readonly encoding: 'GSM-7' | 'UCS-2' | null;
}

/** The types of this module's answers, by their names. */
export interface Answers {
  readonly EmailSend: EmailSend;
  readonly PushOrSmsSend: PushOrSmsSend;
  readonly Send: Send;
  readonly SmsSend: SmsSend;
  readonly Message: Message;
  readonly GateVerdict: GateVerdict;
  readonly MessageExplanation: MessageExplanation;
  readonly ExplainedMessage: ExplainedMessage;
  readonly Reported: Reported;
  readonly PushPreview: PushPreview;
  readonly EmailPreview: EmailPreview;
  readonly SmsPreview: SmsPreview;
  readonly DryRunMessage: DryRunMessage;
  readonly DryRun: DryRun;
  readonly SmsDryRun: SmsDryRun;
}
