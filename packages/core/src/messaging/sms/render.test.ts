import { describe, expect, it } from 'vitest';
import { smsRenderer } from './render.ts';
import type { SmsContent } from './schema.ts';

const input = {
  messageId: 'm-1',
  sendId: 's-1',
  to: '+14155550123',
  statusCallback: 'https://beckon.test/callback',
  scopes: { trait: { name: '<b>Ann & co</b>', blank: ' ', long: 'x'.repeat(307), vast: 'x'.repeat(60_000) } },
};
const rendered = (content: Partial<SmsContent>) => smsRenderer()({ body: 'Hi', maxSegments: 4, ...content }, input);

describe('smsRenderer', () => {
  it('values are inserted unescaped', () => {
    expect(
      rendered({ body: 'Hi {{trait.name}}{{trait.gone}}!', from: 'Acme', mediaUrls: ['https://x.test/a'] }),
    ).toEqual({
      ok: true,
      message: {
        messageId: 'm-1',
        sendId: 's-1',
        to: '+14155550123',
        from: 'Acme',
        messagingServiceId: null,
        body: 'Hi <b>Ann & co</b>!',
        mediaUrls: ['https://x.test/a'],
        statusCallback: 'https://beckon.test/callback',
        validitySeconds: null,
      },
    });
    expect(rendered({ messagingServiceId: 'MG1' })).toMatchObject({
      message: { from: null, messagingServiceId: 'MG1', mediaUrls: [] },
    });
    expect(rendered({ validitySeconds: 600 })).toMatchObject({ message: { validitySeconds: 600 } });
  });

  it('a blank text is not sent', () => {
    for (const body of [' \n', '{{trait.gone}}', '{{trait.blank}}'])
      expect(rendered({ body, mediaUrls: ['https://x.test/a'] })).toEqual({ ok: false, reason: 'empty_body' });
  });

  it('a text with too many segments is not sent, and the error has their number', () => {
    expect(rendered({ body: '{{trait.long}}', maxSegments: 3 })).toMatchObject({ ok: true });
    expect(rendered({ body: '{{trait.long}}', maxSegments: 2 })).toEqual({
      ok: false,
      reason: 'too_many_segments',
      segments: 3,
    });
  });

  it('a too large text is not sent', () => {
    expect(rendered({ body: '{{trait.vast}}{{trait.vast}}' })).toEqual({ ok: false, reason: 'too_large' });
  });
});
