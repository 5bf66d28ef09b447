// What answers hold about sends, messages, devices and providers.

import {
  CHANNELS,
  type ContentOf,
  type DeliveryHealth,
  type DryRun,
  type ExplainedMessage,
  MESSAGE_STATUSES,
  type Message,
  PROVIDERS,
  type ProviderState,
  type ProviderTest,
  type PushToken,
  SEND_STATUSES,
  type Send,
  type Settings,
  type SmsFacts,
  words,
} from '@beckon/core';
import { z } from 'zod';
import { callbackStates } from './callback-answers.ts';
import { answerOf, environment, freeForm, id, moment, owner, word } from './wire.ts';

const count = z.int();
const platform = word(words.platforms);
const provider = z.enum([...PROVIDERS.push, ...PROVIDERS.email, ...PROVIDERS.sms]);
const sentAndFailed = z.object({ sent: count, failed: count });
const byPlatform = z.partialRecord(platform, sentAndFailed);

const facts = {
  id,
  ...owner,
  status: word(SEND_STATUSES),
  source: word(words.sendSources),
  class: word(words.sendClasses),
  category: z.string().nullable(),
  tags: z.record(z.string(), z.string()),
  abTestId: id.nullable(),
  audienceId: id.nullable(),
  tokenCount: count,
  workflowRunId: id.nullable(),
  stepPath: z.string().nullable(),
  templateId: id.nullable(),
  templateVersion: count.nullable(),
  scheduledFor: moment.nullable(),
  createdAt: moment,
  startedAt: moment.nullable(),
  finishedAt: moment.nullable(),
  cancelledAt: moment.nullable(),
  counts: z.object({
    targeted: count,
    queued: count,
    deferred: count,
    sent: count,
    delivered: count,
    bounced: count,
    failed: count,
    suppressed: count,
    opened: count,
    clicked: count,
    uniqueOpened: count,
    uniqueClicked: count,
    machineOpened: count,
  }),
  suppressedByReason: z.partialRecord(word(words.messageReasons), count).nullable(),
  byPlatform: byPlatform.nullable(),
  error: z.string().nullable(),
  errorCode: z.string().nullable(),
  warnings: z.array(z.string()).exactOptional(),
};
const mailSend = z.object({ ...facts, channel: z.literal('email'), subject: z.string().nullable() });
const otherSend = z.object({ ...facts, channel: z.enum(['push', 'sms']), title: z.string().nullable() });
const send = answerOf<Send>()(z.discriminatedUnion('channel', [mailSend, otherSend]));
const smsFacts = {
  segments: count.nullable(),
  encoding: z.enum(['GSM-7', 'UCS-2']).nullable(),
};
const smsSend = answerOf<Send & SmsFacts>()(otherSend.extend(smsFacts));

const messageFields = z.object({
  id,
  sendId: id,
  channel: word(CHANNELS),
  userId: z.string().nullable(),
  address: z.string().nullable(),
  platform: platform.nullable(),
  role: word(words.roles),
  status: word(MESSAGE_STATUSES),
  reason: word(words.messageReasons).nullable(),
  errorCode: z.string().nullable(),
  error: z.string().nullable(),
  providerId: z.string().nullable(),
  attempt: count,
  createdAt: moment,
  deferredUntil: moment.nullable(),
  sentAt: moment.nullable(),
  deliveredAt: moment.nullable(),
  openedAt: moment.nullable(),
  clickedAt: moment.nullable(),
  clickAction: z.string().nullable(),
  machine: z.boolean(),
  complainedAt: moment.nullable(),
  unsubscribedAt: moment.nullable(),
  variant: z.string().nullable(),
});
const message = answerOf<Message>()(messageFields);
const gateVerdict = z.object({
  gate: z.string(),
  verdict: z.enum(['pass', 'suppressed', 'deferred', 'cancelled', 'failed', 'not_reached', 'unknown']),
  reason: word(words.messageReasons).nullable().exactOptional(),
  errorCode: z.string().nullable().exactOptional(),
  error: z.string().nullable().exactOptional(),
  deferredUntil: moment.exactOptional(),
  saw: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
});
const explainedMessage = answerOf<ExplainedMessage>()(
  messageFields.extend({
    explanation: z.object({
      judged: z.enum(['made', 'ended', 'now']),
      stoppedBy: z.string().nullable(),
      waits: z
        .object({
          for: z.enum(['worker', 'answer', 'retry', 'credentials', 'provider', 'capacity', 'moment']),
          until: moment.nullable(),
        })
        .nullable(),
      gates: z.array(gateVerdict),
    }),
  }),
);

const mailbox = z.object({ email: z.string(), name: z.string().nullable() });
const email = answerOf<ContentOf['email']>()(
  z.object({
    envelope: z.object({ from: z.string(), to: z.string() }),
    from: mailbox,
    to: mailbox,
    cc: z.array(mailbox),
    replyTo: mailbox.nullable(),
    subject: z.string(),
    text: z.string().nullable(),
    html: z.string().nullable(),
    headers: z.record(z.string(), z.string()),
    attachments: z.array(
      z.object({ filename: z.string(), contentType: z.string(), cid: z.string().nullable(), bytes: count }),
    ),
  }),
);
const push = answerOf<ContentOf['push']>()(
  z.object({
    platform,
    token: z.string(),
    apnsEnvironment: z.enum(['production', 'sandbox']).nullable(),
    title: z.string().nullable(),
    body: z.string().nullable(),
    data: freeForm,
    actions: z.array(
      z.object({
        id: z.string(),
        title: z.string(),
        url: z.string().exactOptional(),
        icon: z.string().exactOptional(),
      }),
    ),
    criticalAlert: z.object({ soundName: z.string(), volumeRatio: z.number() }).nullable(),
    interruptionLevel: z.enum(['passive', 'active', 'time-sensitive', 'critical']).nullable(),
    collapseKey: z.string().nullable(),
    threadId: z.string().nullable(),
    ttlSeconds: z.int(),
    priority: z.enum(['high', 'normal']),
    badge: z.int().nullable(),
    sound: z.string().nullable(),
    imageUrl: z.string().nullable(),
    liveActivity: z
      .object({
        event: z.enum(['start', 'update', 'end']),
        timestamp: z.int(),
        contentState: freeForm.nullable(),
        staleDate: z.int().nullable(),
        relevanceScore: z.number().nullable(),
        alert: z.object({ title: z.string(), body: z.string(), sound: z.string().exactOptional() }).nullable(),
        dismissalDate: z.int().nullable(),
        attributesType: z.string().nullable(),
        attributes: freeForm.nullable(),
        priority: z.union([z.literal(5), z.literal(10)]),
      })
      .exactOptional(),
  }),
);
const sms = answerOf<ContentOf['sms']>()(
  z.object({
    to: z.string(),
    from: z.string().nullable(),
    messagingServiceId: z.string().nullable(),
    body: z.string(),
    mediaUrls: z.array(z.string()),
    statusCallback: z.string().nullable(),
    validitySeconds: z.number().nullable(),
  }),
);
const request = z.object({
  provider: z.enum(PROVIDERS.push),
  headers: z.record(z.string(), z.string()),
  payload: z.unknown(),
  bytes: count,
});
/** What the sandbox caught, by channel; a push that it caught comes with what its provider would have been sent. */
export const sandboxContents = { email, push, caughtPush: push.extend({ request: request.exactOptional() }), sms };

const addressee = { userId: z.string().nullable(), address: z.string().nullable() };
/** One message of something that is not sent. */
export const dryRunMessage = z.discriminatedUnion('status', [
  z.object({
    ...addressee,
    status: z.literal('queued'),
    reason: z.null(),
    content: z.union([email, push, sms]),
  }),
  z.object({
    ...addressee,
    status: z.literal('deferred'),
    reason: z.literal('quiet_hours'),
    deferredUntil: moment,
    content: z.union([email, push, sms]),
  }),
  z.object({
    ...addressee,
    status: z.literal('suppressed'),
    reason: word(words.suppressionReasons),
    content: z.null(),
  }),
  z.object({
    ...addressee,
    status: z.literal('failed'),
    reason: z.enum([...words.renderFailures, 'provider_not_configured']),
    content: z.null(),
  }),
]);
const dry = {
  dryRun: z.literal(true),
  channel: word(CHANNELS),
  recipients: count,
  tokenCount: count,
  suppressed: z.partialRecord(word(words.suppressionReasons), count),
  messages: z.array(dryRunMessage),
  warnings: z.array(z.string()).exactOptional(),
};
const dryRun = answerOf<DryRun>()(z.object(dry));
const smsDryRun = answerOf<DryRun & SmsFacts>()(z.object({ ...dry, ...smsFacts }));

const deliveryHealth = answerOf<DeliveryHealth>()(
  z.object({
    windowMinutes: count,
    sent: count,
    failed: count,
    retrying: count,
    failureRate: z.number(),
    byReason: z.record(z.string(), count),
    byPlatform,
    byProvider: z.partialRecord(z.enum([...provider.options, 'sandbox']), sentAndFailed),
    tokensInvalidated: count,
    oldestQueuedAgeSeconds: z.number(),
    openCircuits: z.array(z.object({ provider: z.string(), until: moment, code: z.string() })),
    status: z.enum(['ok', 'degraded', 'failing']),
  }),
);

const state = answerOf<ProviderState>()(
  z.object({
    provider: z.string(),
    configured: z.boolean(),
    lastFour: z.string().nullable(),
    provenAt: moment.nullable(),
    updatedAt: moment.nullable(),
    version: z.int().nullable(),
  }),
);
const quietHours = z.object({
  enabled: z.boolean(),
  start: z.string(),
  end: z.string(),
  days: z.array(z.enum(['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'])),
  behavior: z.enum(['defer', 'suppress']),
  maxDeferMinutes: z.int(),
  exemptClasses: z.array(z.enum(['marketing', 'transactional'])),
});
const ofEveryChannel = {
  quietHours,
  orgDefaultTimezone: z.string().nullable(),
  frequencyCap: z.object({
    enabled: z.boolean(),
    rules: z.array(
      z.object({
        channel: z.enum(['push', 'email', 'sms', 'all']),
        max: z.int(),
        per: z.object({ n: z.int(), unit: z.enum(['minute', 'hour', 'day', 'week']) }),
        class: z.enum(['marketing', 'transactional', 'all']),
      }),
    ),
  }),
  addressFromTraits: z.boolean(),
};
const tracking = z.object({ opens: z.boolean(), clicks: z.boolean() });
const providerTest = answerOf<ProviderTest>()(
  z.object({
    provider: z.string(),
    ok: z.boolean().nullable(),
    code: z.string().nullable(),
    message: z.string().nullable(),
  }),
);

/** A device. */
export const pushToken = answerOf<PushToken>()(
  z.object({
    id,
    orgId: id,
    projectId: id,
    environment,
    userId: z.string().nullable(),
    anonymousId: z.string().nullable(),
    platform,
    token: z.string(),
    locale: z.string().nullable(),
    timezone: z.string().nullable(),
    appVersion: z.string().nullable(),
    apnsEnvironment: z.enum(['production', 'sandbox']).nullable(),
    isActive: z.boolean(),
    createdAt: moment,
    updatedAt: moment,
  }),
);

/** Schemas of this file, by the names that the document gives them. */
export const deliveryAnswers = {
  Send: send,
  SmsSend: smsSend,
  Message: message,
  ExplainedMessage: explainedMessage,
  DryRun: dryRun,
  SmsDryRun: smsDryRun,
  DeliveryHealth: deliveryHealth,
  ProviderState: state,
  ProviderTests: z.object({ results: z.array(providerTest) }),
  EmailSettings: answerOf<Settings<'email'>>()(
    z.object({
      smtp: state,
      ses: state,
      sendgrid: state,
      postmark: state,
      mailgun: state,
      resend: state,
      tracking,
      callbacks: callbackStates,
      providers: z.array(z.enum(PROVIDERS.email)),
      bounceDomain: z.string().nullable(),
      ...ofEveryChannel,
    }),
  ),
  PushSettings: answerOf<Settings<'push'>>()(
    z.object({ apns: state, fcm: state, webpush: state, reactivateOnRegister: z.boolean(), ...ofEveryChannel }),
  ),
  SmsSettings: answerOf<Settings<'sms'>>()(
    z.object({ twilio: state, telnyx: state, providers: z.array(z.enum(PROVIDERS.sms)), ...ofEveryChannel }),
  ),
  PushToken: pushToken,
  WebConfig: z.object({ vapidPublicKey: z.string() }),
  Reported: z.object({ accepted: z.literal(true) }),
} as const;
