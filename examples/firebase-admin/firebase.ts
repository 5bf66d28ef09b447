// Firebase's own SDK as the push transport, for Android and iOS.
import type { HostTransport, PushMessage, SendContext, SendOutcome } from '@beckon/core';
import type { FirebaseError } from 'firebase-admin/app';
import type { Message, Messaging } from 'firebase-admin/messaging';

/** Maximum concurrent calls; the SDK opens a connection for each. */
const MAX_IN_FLIGHT = 50;

const messageOf = (push: PushMessage): Message => {
  const { token, title, body, imageUrl, collapseKey, priority, ttlSeconds, data, sendId, messageId } = push;
  // Ids with which a client reports a push as opened.
  const own = { serviceSendId: sendId, serviceMessageId: messageId };
  const texts = Object.entries({ ...data, ...own }).map(([key, value]) => [
    key,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return {
    token,
    notification: {
      ...(title !== null && { title }),
      ...(body !== null && { body }),
      ...(imageUrl !== null && { imageUrl }),
    },
    data: Object.fromEntries(texts),
    android: { priority, ttl: ttlSeconds * 1_000, ...(collapseKey !== null && { collapseKey }) },
  };
};

const codeOf = (error: unknown): string =>
  // Safe: errors of the SDK have a code, and the code of any other error is only printed.
  error instanceof Error && 'code' in error ? String((error as FirebaseError).code) : 'firebase/unknown';

/** An error of the SDK as an outcome. Its messages may contain a token, so none of them is passed on. */
const failureOf = (error: unknown): SendOutcome => {
  const code = codeOf(error);
  switch (code) {
    case 'messaging/registration-token-not-registered':
      return { result: 'failed', code, message: 'The app is no longer installed.', address: 'dead' };
    case 'messaging/invalid-argument':
    case 'messaging/invalid-payload':
    case 'messaging/invalid-registration-token':
    case 'messaging/payload-size-limit-exceeded':
      return { result: 'failed', code, message: 'FCM refused the message.' };
    case 'messaging/authentication-error':
    case 'messaging/third-party-auth-error':
    case 'messaging/mismatched-credential':
    case 'app/invalid-credential':
      return { result: 'credential', code, message: 'FCM does not take these credentials.' };
    case 'messaging/message-rate-exceeded':
    case 'messaging/device-message-rate-exceeded':
      return { result: 'retry', code, message: 'FCM is busy.', processed: 'no' };
    default:
      return { result: 'retry', code, message: 'FCM gave no answer.', processed: 'unknown' };
  }
};

/**
 * Sends pushes through `messaging`, which the host creates with its own credentials and closes itself. The SDK cannot
 * abort a call: a call that is ended early continues in the background, so the result of its message is unknown.
 */
export const firebase = (messaging: Messaging): HostTransport<PushMessage> => {
  const underWay = new Set<Promise<SendOutcome>>();
  let isClosed = false;

  const push = async (message: PushMessage): Promise<SendOutcome> => {
    try {
      return { result: 'accepted', providerId: await messaging.send(messageOf(message)) };
    } catch (error) {
      return failureOf(error);
    }
  };

  return {
    name: 'firebase-admin',
    maxInFlight: MAX_IN_FLIGHT,
    send: async (message: PushMessage, { signal }: SendContext) => {
      if (isClosed || signal.aborted)
        return { result: 'retry', code: 'closed', message: 'Nothing was sent.', processed: 'no' };
      const ended = Promise.withResolvers<SendOutcome>();
      const end = (): void =>
        ended.resolve({ result: 'retry', code: 'timeout', message: 'FCM took too long.', processed: 'unknown' });
      signal.addEventListener('abort', end, { once: true });
      const sending = Promise.race([push(message), ended.promise]);
      underWay.add(sending);
      try {
        return await sending;
      } finally {
        underWay.delete(sending);
        signal.removeEventListener('abort', end);
      }
    },
    close: async () => {
      isClosed = true;
      await Promise.all(underWay);
    },
  };
};
