import { APNS_MAX_BYTES, apnsPayload } from '../../delivery/transports/apns/payload.ts';
import { FCM_MAX_BYTES, fcmMessage, reservedDataKey } from '../../delivery/transports/fcm/payload.ts';
import type { PushMessage } from '../../delivery/transports/port.ts';
import { MAX_PAYLOAD_BYTES, payloadOf } from '../../delivery/transports/web-push/payload.ts';
import type { TemplateWarning } from '../templates/answers.generated.ts';
import { fillFields, type TemplateKind } from '../templates/kind.ts';
import { checkDataKeys, checkPush, pushFields } from './content.ts';

/** The platforms are a choice of the send. */
const { platforms: _platforms, ...fields } = pushFields;

/** A registration token of Firebase's length; it counts toward FCM's payload limit. Chosen: 163 characters. */
const FCM_TOKEN = 't'.repeat(163);
/** Maximum payload of each platform. */
const PLATFORMS = [
  { name: 'iOS', most: APNS_MAX_BYTES, payload: apnsPayload },
  {
    name: 'Android',
    most: FCM_MAX_BYTES,
    payload: (message: PushMessage) => fcmMessage({ ...message, token: FCM_TOKEN }, undefined),
  },
  { name: 'Web', most: MAX_PAYLOAD_BYTES, payload: payloadOf },
] as const;

/** Stored templates of pushes. */
export const pushTemplate: TemplateKind<'push', typeof fields> = {
  channel: 'push',
  fields,
  check: checkPush,
  checkSaved: checkDataKeys,
  texts: ['title', 'body', 'localizedTitle', 'localizedBody', 'data', 'actions.*.title', 'actions.*.url', 'imageUrl'],
  fill: fillFields({ title: ['localizedTitle'], body: ['localizedBody'] }),
  weigh: (message) => {
    const tooLarge = PLATFORMS.flatMap(({ name, most, payload }): TemplateWarning[] => {
      const bytes = Buffer.byteLength(payload(message));
      return bytes <= most
        ? []
        : [
            {
              path: null,
              code: 'payload_too_large',
              message: `The payload for ${name} has ${bytes} bytes. The maximum is ${most}.`,
            },
          ];
    });
    const reserved = reservedDataKey(message.data);
    return reserved === null
      ? tooLarge
      : [...tooLarge, { path: `data.${reserved}`, code: 'reserved_data_key', message: 'FCM reserves this key.' }];
  },
};
