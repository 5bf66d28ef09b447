import { APNS_MAX_BYTES, apnsHeaders, apnsPayload } from '../apns/payload.ts';
import { FCM_MAX_BYTES, fcmMessage, reservedDataKey } from '../fcm/payload.ts';
import type { PushMessage, SendOutcome } from '../port.ts';
import { MAX_PAYLOAD_BYTES, payloadOf, topicOf, ttlOf, urgencyOf } from '../web-push/payload.ts';

/** The request that the provider of a message would receive, without authorization. */
export type SandboxRequest = {
  readonly provider: 'apns' | 'fcm' | 'webpush';
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: unknown;
  /** UTF-8 bytes of the payload. */
  readonly bytes: number;
};

/** App id of a project without one; RFC 2606 reserves the name. */
const TOPIC = 'invalid.sandbox.app';

const requestOf = (message: PushMessage): { request: SandboxRequest; most: number } => {
  const made = (provider: SandboxRequest['provider'], text: string, headers: SandboxRequest['headers']) => ({
    provider,
    headers,
    payload: JSON.parse(text) as unknown,
    bytes: Buffer.byteLength(text),
  });
  switch (message.platform) {
    case 'ios':
      return { request: made('apns', apnsPayload(message), apnsHeaders(message, TOPIC)), most: APNS_MAX_BYTES };
    case 'android':
      return { request: made('fcm', fcmMessage(message, undefined), {}), most: FCM_MAX_BYTES };
    case 'web': {
      const headers = { TTL: String(ttlOf(message)), Urgency: urgencyOf(message), Topic: topicOf(message) };
      return { request: made('webpush', payloadOf(message), headers), most: MAX_PAYLOAD_BYTES };
    }
  }
};

/**
 * The request that a push's real transport would send, or the outcome with which that transport would refuse it. Throws
 * nothing. Source: transports, Environments.
 */
export const sandboxRequest = (message: PushMessage): SandboxRequest | SendOutcome => {
  if (message.platform === 'android' && reservedDataKey(message.data) !== null)
    return { result: 'failed', code: 'reserved_data_key', message: 'The data has a key that FCM keeps for itself.' };
  const { request, most } = requestOf(message);
  return request.bytes <= most
    ? request
    : { result: 'failed', code: 'payload_too_large', message: `The payload is more than ${most} bytes.` };
};
