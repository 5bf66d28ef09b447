// The product's messages as a transport gets them: rendered once by the product's own renderers, with the id and the
// address of each call.

import type { EmailMessage, PushMessage, SmsMessage } from '../../../packages/core/src/delivery/transports/port.ts';
import { emailRenderer } from '../../../packages/core/src/messaging/email/render.ts';
import { type EmailContent, parseEmailSend } from '../../../packages/core/src/messaging/email/schema.ts';
import { parsePushSend } from '../../../packages/core/src/messaging/push/body.ts';
import type { PushContent } from '../../../packages/core/src/messaging/push/content.ts';
import { pushRenderer } from '../../../packages/core/src/messaging/push/render.ts';
import { smsRenderer } from '../../../packages/core/src/messaging/sms/render.ts';
import { parseSmsSend, type SmsContent } from '../../../packages/core/src/messaging/sms/schema.ts';
import { traitsOf, userId } from '../../lib/fixtures.ts';
import { contentOf, emailOf, PLATFORMS, type PushProvider, phoneOf, SENDER, tokenOf, type World } from './fixtures.ts';

const SEND_ID = '01970000-0000-7000-8000-000000000000';
/** A user in the middle; names and plans hardly differ in length. */
const SOMEBODY = 42;

const sent = (provider: Parameters<typeof contentOf>[0]) => ({ ...contentOf(provider), userIds: [userId(SOMEBODY)] });
const input = { messageId: '', sendId: SEND_ID, scopes: { user: {}, trait: traitsOf(SOMEBODY, 0) } };

const rendered = <M>(result: { ok: true; message: M } | { ok: false; reason: string }): M => {
  if (result.ok) return result.message;
  throw new Error(`the message of the benchmark cannot be rendered: ${result.reason}`);
};

/** Makes pushes to the devices of users. */
export const pushes = (provider: PushProvider, world: World): ((index: number, messageId: string) => PushMessage) => {
  // Safe: the result of parsePushSend is the content of a push.
  const content = parsePushSend(sent(provider)).content as PushContent;
  const device = { platform: PLATFORMS[provider], token: '', apnsEnvironment: null, now: new Date() };
  const message = rendered(pushRenderer()(content, { ...input, ...device }));
  return (index, messageId) => ({
    ...message,
    messageId,
    token: tokenOf(provider, index, world),
    apnsEnvironment: provider === 'apns' ? 'production' : null,
  });
};

/** Makes emails to users. */
export const mails = (): ((index: number, messageId: string) => EmailMessage) => {
  // Safe: the result of parseEmailSend is the content of an email.
  const content = parseEmailSend(sent('smtp')).content as EmailContent;
  const boxes = { to: { email: emailOf(SOMEBODY), name: null }, defaultFrom: { email: SENDER, name: 'Shop' } };
  const message = rendered(emailRenderer()(content, { ...input, ...boxes }));
  return (index, messageId) => {
    const to = emailOf(index);
    const headers = { ...message.headers, 'Message-ID': `<${messageId}@shop.example.com>` };
    return {
      ...message,
      messageId,
      envelope: { ...message.envelope, to },
      to: { email: to, name: null },
      headers,
    };
  };
};

/** Makes SMS to users. */
export const texts = (): ((index: number, messageId: string) => SmsMessage) => {
  // Safe: the result of parseSmsSend is the content of an SMS.
  const content = parseSmsSend(sent('twilio')).content as SmsContent;
  const message = rendered(smsRenderer()(content, { ...input, to: phoneOf(SOMEBODY), statusCallback: null }));
  return (index, messageId) => ({ ...message, messageId, to: phoneOf(index) });
};
