import { z } from 'zod';
import { answersOf, freeForm } from '../../../foundation/answers.ts';
import { PLATFORMS } from '../../../foundation/device-platform.ts';
import type { Answers } from './answers.generated.ts';

const mailbox = (of: string) =>
  z.object({
    email: z.string().describe(`Email address of ${of}.`),
    name: z.string().nullable().describe(`Display name of ${of}; null if there is none.`),
  });

const emailContent = () =>
  z
    .object({
      envelope: z
        .object({
          from: z.string().describe('Return path: the address that receives bounces.'),
          to: z.string().describe('Address that the server delivers to.'),
        })
        .describe('Addresses of the SMTP envelope.'),
      from: mailbox('the sender').describe('The From header.'),
      to: mailbox('the recipient').describe('The To header; in a copy it names the main recipient.'),
      cc: z.array(mailbox('the copied recipient')).describe('The Cc header.'),
      replyTo: mailbox('the person who receives replies')
        .nullable()
        .describe('The Reply-To header; null if none is set.'),
      subject: z.string().describe('Rendered subject.'),
      text: z.string().nullable().describe('Rendered plain text part; null if there is none.'),
      html: z.string().nullable().describe('Rendered HTML part; null if there is none.'),
      headers: z.record(z.string(), z.string()).describe('Further headers, by name.'),
      attachments: z
        .array(
          z.object({
            filename: z.string().describe('Name of the file.'),
            contentType: z.string().describe('Media type without parameters, such as `application/pdf`.'),
            cid: z
              .string()
              .nullable()
              .describe('Content id that the HTML refers to as `cid:...`; null for an ordinary attachment.'),
            bytes: z.int().describe('Size of the file, in bytes.'),
          }),
        )
        .describe('Attached files, without their contents.'),
    })
    .describe('An email as its provider receives it.');

const liveActivity = () =>
  z.object({
    event: z.enum(['start', 'update', 'end']).describe('What the push does to the Live Activity.'),
    timestamp: z.int().describe('Unix time in seconds; a device ignores pushes that are not newer than the last one.'),
    contentState: freeForm().nullable().describe('State that the app displays; null if it stays unchanged.'),
    staleDate: z.int().nullable().describe('When the state is outdated, in Unix seconds; null if never.'),
    relevanceScore: z.number().nullable().describe('Order among several Live Activities; null for the default.'),
    alert: z
      .object({
        title: z.string().describe('Title of the alert.'),
        body: z.string().describe('Text of the alert.'),
        sound: z.string().optional().describe('Name of the sound file; missing for no sound.'),
      })
      .nullable()
      .describe('Alert that accompanies the push; null if it is silent.'),
    dismissalDate: z
      .int()
      .nullable()
      .describe('When iOS removes the ended activity, in Unix seconds; null for the default.'),
    attributesType: z
      .string()
      .nullable()
      .describe("Name of the app's attributes type; null unless the activity starts."),
    attributes: freeForm().nullable().describe('Data of the activity that never changes; null unless it starts.'),
    priority: z.union([z.literal(5), z.literal(10)]).describe('APNs priority: 5 saves battery, 10 is immediate.'),
  });

const pushContent = () =>
  z
    .object({
      platform: z.enum(PLATFORMS).describe('Platform of the device.'),
      token: z.string().describe('Device token; of a browser the JSON of its push subscription.'),
      apnsEnvironment: z
        .enum(['production', 'sandbox'])
        .nullable()
        .describe('APNs host of the token; null if unknown or not iOS.'),
      title: z.string().nullable().describe('Rendered title; null if there is none.'),
      body: z.string().nullable().describe('Rendered text; null if there is none.'),
      data: freeForm().describe('Custom data for the app.'),
      actions: z
        .array(
          z.object({
            id: z.string().describe('Id that is reported when the button is tapped.'),
            title: z.string().describe('Label of the button.'),
            url: z.string().optional().describe('URL that the button opens; missing if it opens none.'),
            icon: z.string().optional().describe('URL of the icon; missing if there is none.'),
          }),
        )
        .describe('Action buttons, at most 4.'),
      criticalAlert: z
        .object({
          soundName: z.string().describe('Name of the sound file.'),
          volumeRatio: z.number().describe('Volume, 0 to 1.'),
        })
        .nullable()
        .describe('Critical alert of iOS, which ignores the mute switch; null for an ordinary push.'),
      interruptionLevel: z
        .enum(['passive', 'active', 'time-sensitive', 'critical'])
        .nullable()
        .describe('Interruption level of iOS; null for the default.'),
      collapseKey: z
        .string()
        .nullable()
        .describe('A later push with the same key replaces this one; null if nothing replaces it.'),
      threadId: z.string().nullable().describe('Group in the notification list; null for the default group.'),
      ttlSeconds: z.int().describe('How long the provider tries to deliver, in seconds.'),
      priority: z.enum(['high', 'normal']).describe('Delivery priority.'),
      badge: z.int().nullable().describe('Number on the app icon; null if it stays unchanged.'),
      sound: z.string().nullable().describe('Name of the sound; null for no sound.'),
      imageUrl: z.string().nullable().describe('URL of the image; null if there is none.'),
      liveActivity: liveActivity().optional().describe('Present if the push starts, updates or ends a Live Activity.'),
    })
    .describe('A push as its provider receives it.');

const smsContent = () =>
  z
    .object({
      to: z.string().describe('Recipient number in E.164 format.'),
      from: z.string().nullable().describe('Sender number or name; null if a messaging service sends it.'),
      messagingServiceId: z
        .string()
        .nullable()
        .describe("Id of the provider's messaging service; null if `from` sends it."),
      body: z.string().describe('Rendered text.'),
      mediaUrls: z.array(z.string()).describe('URLs of attached media.'),
      statusCallback: z.string().nullable().describe('URL for delivery reports; null if none are requested.'),
      validitySeconds: z
        .number()
        .nullable()
        .describe("How long the provider tries to deliver, in seconds; null for the provider's default."),
    })
    .describe('An SMS as its provider receives it.');

/** Schemas of the answers about the outbox, which stores the messages of `test`. */
export const outboxAnswers = answersOf<Answers>()(() => {
  const EmailContent = emailContent();
  const PushContent = pushContent();
  const SmsContent = smsContent();
  const OutboxPushContent = PushContent.extend({
    request: z
      .object({
        provider: z.enum(['apns', 'fcm', 'webpush']).describe('Provider of the platform.'),
        headers: z.record(z.string(), z.string()).describe('Headers of the request, without credentials.'),
        payload: z.unknown().describe('Body of the request.'),
        bytes: z.int().describe('Size of the body, in bytes of UTF-8.'),
      })
      .optional()
      .describe('Request that the provider of the platform would receive.'),
  }).describe('A push in the outbox, with the request to its provider.');
  const entry = {
    id: z.uuid().describe('Id of the entry.'),
    sendId: z.uuid().describe('Send of the message.'),
    messageId: z.uuid().describe('Id of the message.'),
    userId: z.string().nullable().describe('User who receives the message; null if the address has no user.'),
    address: z.string().describe('Email address, phone number or device token.'),
    createdAt: z.date().describe('When the message was stored.'),
  };
  const content = 'The message as its provider would receive it.';
  const OutboxEmail = z
    .object({ ...entry, channel: z.literal('email').describe('Channel.'), content: EmailContent.describe(content) })
    .describe('An email in the outbox.');
  const OutboxPush = z
    .object({
      ...entry,
      channel: z.literal('push').describe('Channel.'),
      content: OutboxPushContent.describe(content),
    })
    .describe('A push in the outbox.');
  const OutboxSms = z
    .object({ ...entry, channel: z.literal('sms').describe('Channel.'), content: SmsContent.describe(content) })
    .describe('An SMS in the outbox.');
  return {
    EmailContent,
    PushContent,
    SmsContent,
    OutboxPushContent,
    OutboxEmail,
    OutboxPush,
    OutboxSms,
    OutboxMessage: z
      .discriminatedUnion('channel', [OutboxEmail, OutboxPush, OutboxSms])
      .describe('A message in the outbox of `test`; `channel` determines the type of `content`.'),
  };
});
