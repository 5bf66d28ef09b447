import { fillFields, type TemplateKind } from '../templates/kind.ts';
import { checkSms, smsFields } from './schema.ts';
import { smsSize } from './segments.ts';

/** Stored templates of text messages. */
export const smsTemplate: TemplateKind<'sms', typeof smsFields> = {
  channel: 'sms',
  fields: smsFields,
  check: checkSms,
  texts: ['body', 'localizedBody'],
  fill: fillFields({ body: ['localizedBody'], from: ['messagingServiceId'], messagingServiceId: ['from'] }),
  weigh: ({ body }) => {
    const { segments, encoding } = smsSize(body);
    if (segments < 2) return [];
    const why =
      encoding === 'UCS-2' ? ' It holds a character that is not in the GSM alphabet, so each holds 67 units.' : '';
    return [
      {
        path: 'body',
        code: 'several_segments',
        message: `The text takes ${segments} segments, each of which is charged.${why}`,
      },
    ];
  },
};
