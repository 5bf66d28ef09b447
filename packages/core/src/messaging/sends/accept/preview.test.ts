import { describe, expect, it } from 'vitest';
import { testScope } from '../../../../test/support/scopes.ts';
import { virtualClock } from '../../../foundation/clock.ts';
import { uuidV7Ids } from '../../../foundation/ids.ts';
import { smsChannel } from '../../sms/sms.ts';
import { smsTemplate } from '../../sms/template.ts';
import type { AddressState, ChannelPort, Channels } from '../channel.ts';
import { previews } from './preview.ts';

const scope = testScope({ orgId: 'o', projectId: 'p', environment: 'test' });
const clock = virtualClock('2026-03-01T12:00:00.000Z');

/** Previews a text message to a user whose number has this state. */
const previewOf = (
  state: Partial<AddressState> | null,
  body: string | undefined = 'Hi {{trait.name | default: "you"}}',
  more: object = {},
  locale?: string,
) => {
  const address = { address: '+14155550199', name: null, facts: {} };
  const sms: ChannelPort<unknown> = {
    ...smsChannel(),
    addressesOf: () => [address],
    states: async (messages) =>
      new Map(messages.map(({ id }) => [id, { unusable: null, timezone: null, locale: null, ...state }])),
  };
  // Proof of the cast: a text message preview calls no other channel.
  const channels = { sms } as unknown as Channels;
  const connections = { load: async () => () => null };
  const render = previews({ clock, ids: uuidV7Ids(clock), channels, connections, loadProfiles: async () => new Map() });
  return render(scope, smsTemplate, { body, ...more }, { userId: 'ann', locale });
};

describe('a preview', () => {
  it('a preview of a suppressed address shows the reason and the content', async () => {
    const content = { body: 'Hi you', to: '+14155550199' };
    expect(await previewOf({ unusable: 'sms_stopped' })).toMatchObject({
      status: 'suppressed',
      reason: 'sms_stopped',
      content,
    });
    expect(await previewOf(null)).toMatchObject({ status: 'queued', reason: null, content });
    const empty = { status: 'suppressed', reason: 'empty_body', content: null };
    expect(await previewOf(null, '{{trait.name}}')).toMatchObject(empty);
    expect(await previewOf({ unusable: 'sms_stopped' }, '{{trait.name}}')).toMatchObject({
      ...empty,
      reason: 'sms_stopped',
    });
  });

  it('a preview uses the requested language and reports unresolved variables of that text only', async () => {
    const more = { localizedBody: { es: 'Hola', nl: 'Dag {{trait.nick}}' } };
    const inSpanish = await previewOf(null, '{{trait.name}}', more, 'es-MX');
    expect(inSpanish).toMatchObject({ status: 'queued', content: { body: 'Hola' }, unresolved: [] });
    const inDutch = await previewOf(null, 'Hi {{trait.name}}', more, 'nl');
    expect(inDutch).toMatchObject({ content: { body: 'Dag ' }, unresolved: ['trait.nick'] });
  });

  it("a preview without text in the reader's language is suppressed; the address's own reason comes first", async () => {
    const more = { localizedBody: { es: 'Hola {{trait.nick}}' } };
    const none = { status: 'suppressed', reason: 'locale_unsupported', content: null, unresolved: ['trait.nick'] };
    expect(await previewOf(null, '', more, 'fr')).toEqual({ ...none, warnings: [] });
    expect(await previewOf(null, '', more)).toMatchObject(none);
    expect(await previewOf({ unusable: 'sms_stopped' }, '', more, 'fr')).toMatchObject({ reason: 'sms_stopped' });
  });
});
