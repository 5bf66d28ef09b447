import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { NUMBERS, type TwilioApi, twilioApi } from '../../../../test/support/transports/twilio-api.ts';
import { unchecked } from '../../../../test/support/unchecked.ts';
import type { Beckon } from '../../../app/api.ts';
import { createBeckon } from '../../../app/create.ts';
import { virtualClock } from '../../../foundation/clock.ts';
import { isBeckonError } from '../../../foundation/errors.ts';
import type { Scope } from '../../../foundation/scope.ts';
import { newMasterKey } from '../../../foundation/secrets.ts';
import type { CallbackAnswer } from '../../callbacks/api.ts';

const PUBLIC = 'https://beckon.shop.test';
const ACCOUNT = `AC${'1'.repeat(32)}`;
const SERVICE = `MG${'5'.repeat(32)}`;
const TOKEN = 'a'.repeat(32);
const OURS = '+15005550006';
const OTHER = '+15005550007';
const ANN = '+14155550123';
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const PUBLIC_KEY = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64');

describe('SMS provider callbacks', () => {
  const clock = virtualClock('2026-03-01T12:00:00.000Z');
  let database: TestDatabase;
  let api: TwilioApi;
  let beckon: Beckon;
  let orgId: string;
  let shop: Scope;
  let received = 0;

  const project = async (name: string, settings: object): Promise<Scope> => {
    const { id } = await beckon.tenancy.createProject({ orgId, name });
    const scope = await beckon.tenancy.scope({ orgId, projectId: id, environment: 'prod' });
    await beckon.settings.update(scope, 'sms', settings);
    return scope;
  };
  const twilioFrom = (from: string | null) => ({
    twilio: { accountSid: ACCOUNT, authToken: TOKEN, ...(from === null ? {} : { from }) },
  });

  beforeEach(async () => {
    database = await openTestDatabase();
    api = await twilioApi({ accounts: { [ACCOUNT]: { [ACCOUNT]: TOKEN } }, now: clock.now });
    const outbound = { ca: api.ca, twilio: { endpoint: api.endpoint } };
    beckon = await createBeckon({ db: database.url, masterKey: newMasterKey(), clock, publicUrl: PUBLIC, outbound });
    orgId = (await beckon.tenancy.createOrg({ name: 'Acme' })).id;
    shop = await project('Shop', twilioFrom(OURS));
  });
  afterEach(async () => {
    await beckon.close();
    await api.stop();
    await database.close();
  });

  const receive = (
    provider: string,
    query: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    org = orgId,
  ): Promise<CallbackAnswer> =>
    beckon.callbacks.receive({
      channel: 'sms',
      provider,
      orgId: org,
      method: 'POST',
      path: `/api/v1/sms/webhooks/${provider}/${org}`,
      query,
      header: (name) => headers[name],
      body: Buffer.from(body),
    });
  /** A request as Twilio posts it. */
  const post = (
    fields: Readonly<Record<string, string>>,
    { query = '', token = TOKEN, org = orgId }: { query?: string; token?: string; org?: string } = {},
  ) => {
    const url = `${PUBLIC}/api/v1/sms/webhooks/twilio/${org}${query === '' ? '' : `?${query}`}`;
    const signed = Object.entries(fields)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .reduce((text, [name, value]) => text + name + value, url);
    const signature = createHmac('sha1', token).update(signed).digest('base64');
    return receive('twilio', query, { 'x-twilio-signature': signature }, new URLSearchParams(fields).toString(), org);
  };
  const inbound = (body: string, more: Readonly<Record<string, string>> = {}, options = {}) => {
    received += 1;
    clock.advance(1_000);
    const sid = `SM${String(received).padStart(32, 'f')}`;
    return post({ MessageSid: sid, SmsStatus: 'received', From: ANN, To: OURS, Body: body, ...more }, options);
  };
  const send = async (body: object = {}, scope = shop) => {
    const answer = await beckon.sms.send(scope, unchecked({ to: ANN, body: 'Hello', ...body }));
    await beckon.worker.drain();
    const { data } = await beckon.sends.messages(scope, 'sms', answer.id);
    const [message] = data;
    if (!message) throw new Error('there is no message');
    return { id: answer.id, message, result: message.reason ?? message.status };
  };
  const callbackOf = (at: number): URL => {
    const field = api.arrived()[at]?.form.find(([name]) => name === 'StatusCallback');
    return new URL(field?.[1] ?? '');
  };
  const storedEvents = async (scope = shop) =>
    (await beckon.events.list(scope)).data
      .map(({ eventType, properties, userId, anonymousId }) => ({ eventType, properties, who: userId ?? anonymousId }))
      .reverse();
  const nowOf = async (id: string, scope = shop) => {
    const [message] = (await beckon.sends.messages(scope, 'sms', id)).data;
    const { status, counts } = await beckon.sends.get(scope, 'sms', id);
    return { message: message?.status, errorCode: message?.errorCode ?? null, send: status, counts };
  };

  it('reports apply once, in any order', async () => {
    await beckon.events.identify(shop, { userId: 'ann', traits: { phone: ANN } });
    clock.advance(1_000);
    const { id, message } = await send({ to: undefined, userIds: ['ann'] });
    const url = callbackOf(0);
    expect(`${url.origin}${url.pathname}`).toBe(`${PUBLIC}/api/v1/sms/webhooks/twilio/${orgId}`);
    expect(url.search).toBe(`?m=${message.id}`);
    const sid = message.providerId ?? '';
    const report = (status: string, more = {}) =>
      post({ MessageSid: sid, MessageStatus: status, To: ANN, From: OURS, ...more }, { query: url.search.slice(1) });
    expect(await report('queued')).toMatchObject({ events: 0, reply: { body: '<Response/>' } });
    expect(await report('delivered')).toMatchObject({ events: 1, applied: 1 });
    expect(await report('sent')).toMatchObject({ applied: 1 });
    expect(await report('delivered')).toMatchObject({ applied: 0, duplicates: 1 });
    expect(await report('undelivered', { ErrorCode: '30003' })).toMatchObject({ applied: 1 });
    expect(await nowOf(id)).toMatchObject({ message: 'delivered', counts: { sent: 1, delivered: 1, failed: 0 } });
    const history = await beckon.profiles.events(shop, 'ann');
    expect(history.data.map(({ eventType }) => eventType)).toEqual(['sms.delivered', 'user.identified']);

    clock.advance(1_000);
    const lost = await send({ to: undefined, userIds: ['ann'] });
    const failed = { MessageSid: lost.message.providerId ?? '', MessageStatus: 'undelivered', ErrorCode: '30003' };
    expect(await post(failed)).toMatchObject({ applied: 1 });
    expect(await nowOf(lost.id)).toMatchObject({
      message: 'failed',
      errorCode: '30003',
      counts: { sent: 0, failed: 1 },
    });
    expect(await post({ ...failed, MessageStatus: 'delivered' })).toMatchObject({ applied: 1 });
    expect(await nowOf(lost.id)).toMatchObject({ message: 'failed' });
    expect((await beckon.profiles.events(shop, 'ann')).data[0]).toMatchObject({
      eventType: 'sms.failed',
      properties: { errorCode: '30003' },
    });
    expect(await post({ ...failed, MessageSid: `SM${'9'.repeat(32)}` })).toMatchObject({ applied: 0, unknown: 0 });
  });

  it('reports correct the assumed end of a message without an answer, which is never sent again', async () => {
    const { id, message } = await send({ to: `+15550${NUMBERS.drop}` });
    expect(await nowOf(id)).toMatchObject({ message: 'failed', errorCode: 'ambiguous_outcome', send: 'failed' });
    const sid = `SM${'7'.repeat(32)}`;
    const about = { MessageSid: sid, To: `+15550${NUMBERS.drop}`, From: OURS };
    const query = `m=${message.id}`;
    expect(await post({ ...about, To: ANN, MessageStatus: 'delivered' }, { query })).toMatchObject({ unknown: 1 });
    expect(await post({ ...about, MessageStatus: 'sent' }, { query })).toMatchObject({ applied: 1 });
    expect(await nowOf(id)).toMatchObject({
      message: 'sent',
      errorCode: null,
      send: 'sent',
      counts: { sent: 1, failed: 0, delivered: 0 },
    });
    // From here on it is known by the provider's id.
    expect(await post({ ...about, MessageStatus: 'delivered' })).toMatchObject({ applied: 1 });
    expect(await nowOf(id)).toMatchObject({ message: 'delivered', counts: { sent: 1, delivered: 1, failed: 0 } });
    clock.advance(3_600_000);
    await beckon.worker.drain();
    expect(api.requests()).toBe(1);
  });

  it('a STOP message stops its number for its sender until START', async () => {
    await inbound('please stop');
    expect((await send()).result).toBe('sent');
    expect(await inbound(' Stop. ')).toMatchObject({ applied: 1, reply: { body: '<Response/>' } });
    expect((await send()).result).toBe('sms_stopped');
    expect((await send({ class: 'transactional', from: OURS })).result).toBe('sms_stopped');
    expect((await send({ from: OTHER })).result).toBe('sent');
    expect((await send({ messagingServiceId: SERVICE })).result).toBe('sent');
    expect((await send({ to: '+14155550124' })).result).toBe('sent');
    expect((await beckon.suppressions.list(shop, 'sms')).data).toMatchObject([
      { address: ANN, reason: 'sms_stopped', sender: OURS, source: 'person' },
    ]);
    await inbound('start please');
    expect((await send()).result).toBe('sms_stopped');
    await inbound('START');
    expect((await send()).result).toBe('sent');
    await inbound('Weg damit', { OptOutType: 'STOP', MessagingServiceSid: SERVICE });
    expect((await send({ messagingServiceId: SERVICE })).result).toBe('sms_stopped');
    expect((await send()).result).toBe('sms_stopped');
    const names = (await storedEvents()).map(({ eventType }) => eventType);
    expect(names.filter((name) => name === 'sms.inbound')).toHaveLength(5);
    expect(names.filter((name) => name === 'sms.stop_received')).toHaveLength(2);
    const answered = await send({ to: '+1555521610', from: OTHER });
    expect(answered.message).toMatchObject({ status: 'failed', errorCode: '21610' });
    expect((await send({ to: '+1555521610', from: OTHER })).result).toBe('sms_stopped');
    expect((await send({ to: '+1555521610', from: OURS })).message.errorCode).toBe('21610');
  });

  it("inbound texts are events of the phone's user and start workflows", async () => {
    await beckon.workflows.create(shop, {
      name: 'Answer',
      trigger: { eventType: 'sms.inbound' },
      steps: [{ type: 'send_sms', config: { to: '{{event.from}}', body: 'You wrote: {{event.body}}' } }],
      isActive: true,
    });
    await beckon.events.identify(shop, { userId: 'bob', traits: {} });
    await beckon.profiles.update(shop, 'bob', { phone: '+14155550124' });
    expect(await inbound('Hi')).toMatchObject({ applied: 1 });
    await inbound('I am Bob', { From: '+14155550124' });
    await beckon.worker.drain();
    const arrived = api.arrived().map(({ form }) => Object.fromEntries(form));
    expect(arrived.map(({ To: to, Body: body }) => [to, body]).sort()).toEqual([
      [ANN, 'You wrote: Hi'],
      ['+14155550124', 'You wrote: I am Bob'],
    ]);
    await beckon.events.identify(shop, { userId: 'ann', traits: { phone: ANN } });
    await send({ to: undefined, userIds: ['ann'] });
    await inbound('It is me', { NumMedia: '1', MediaUrl0: 'https://api.twilio.com/m/1' });
    expect((await storedEvents()).filter(({ eventType }) => eventType === 'sms.inbound')).toEqual([
      { eventType: 'sms.inbound', who: ANN, properties: { from: ANN, to: OURS, body: 'Hi' } },
      { eventType: 'sms.inbound', who: 'bob', properties: { from: '+14155550124', to: OURS, body: 'I am Bob' } },
      {
        eventType: 'sms.inbound',
        who: 'ann',
        properties: { from: ANN, to: OURS, body: 'It is me', mediaUrls: ['https://api.twilio.com/m/1'] },
      },
    ]);
  });

  it('a post with a body and without a delivery status is one inbound text', async () => {
    const sid = `SM${'8'.repeat(32)}`;
    const bare = { MessageSid: sid, From: ANN, To: OURS, Body: 'STOP' };
    expect(await post(bare)).toMatchObject({ applied: 1, reply: { body: '<Response/>' } });
    expect(await post({ ...bare, SmsStatus: 'received' })).toMatchObject({ applied: 0, duplicates: 1 });
    expect((await storedEvents()).map(({ eventType }) => eventType).sort()).toEqual([
      'sms.inbound',
      'sms.stop_received',
    ]);
    expect((await send()).result).toBe('sms_stopped');
  });

  it('white space around numbers is ignored', async () => {
    await beckon.settings.update(shop, 'sms', twilioFrom('\u00a0+1 (500) 555-0006\n'));
    const { message, id } = await send();
    expect(api.arrived()[0]?.form).toContainEqual(['From', OURS]);
    const sid = message.providerId ?? '';
    const to = `\u00a0${ANN}\u0085`;
    expect(await post({ MessageSid: sid, MessageStatus: 'delivered', To: to, From: OURS })).toMatchObject({
      applied: 1,
    });
    expect(await nowOf(id)).toMatchObject({ message: 'delivered' });
    await inbound('Stop', { From: ` ${ANN}\u2003`, To: `\t${OURS} ` });
    expect((await beckon.suppressions.list(shop, 'sms')).data).toMatchObject([{ address: ANN, sender: OURS }]);
    expect((await storedEvents()).find(({ eventType }) => eventType === 'sms.inbound')).toEqual({
      eventType: 'sms.inbound',
      who: ANN,
      properties: { from: ANN, to: OURS, body: 'Stop', keyword: 'stop' },
    });
    expect((await send()).result).toBe('sms_stopped');
  });

  it('a callback changes only the organization of its path, whoever signed it', async () => {
    const other = (await beckon.tenancy.createOrg({ name: 'Other' })).id;
    const { message, id } = await send();
    const sid = message.providerId ?? '';
    const { data: urls } = await beckon.callbacks.urls(shop);
    const named = new URL(urls.find(({ provider }) => provider === 'twilio')?.url ?? '').search.slice(1);
    const before = await nowOf(id);
    const posts = async (org: string): Promise<string[]> => {
      const answers: string[] = [];
      for (const query of ['', `m=${message.id}`, named]) {
        const report = { MessageSid: sid, MessageStatus: 'undelivered', ErrorCode: '30003' };
        for (const work of [
          () => post(report, { query, org }),
          () => inbound('STOP', {}, { query, org }),
          () => inbound('to nobody', { To: '+15005550009' }, { query, org }),
        ])
          answers.push(
            await work().then(
              ({ applied }) => `applied ${applied}`,
              (error: unknown) => (isBeckonError(error, 'UNAUTHORIZED') ? 'applied 0' : String(error)),
            ),
          );
      }
      return answers;
    };
    expect(await posts(other)).toEqual(Array(9).fill('applied 0'));
    expect(await nowOf(id)).toEqual(before);
    expect(await storedEvents()).toEqual([]);
    expect((await beckon.suppressions.list(shop, 'sms')).data).toEqual([]);
    expect((await beckon.callbacks.list(shop)).data).toEqual([]);
    // On the path of its own organization it is applied.
    expect((await posts(orgId)).filter((answer) => answer === 'applied 1').length).toBeGreaterThan(3);
    expect((await beckon.suppressions.list(shop, 'sms')).data).toHaveLength(1);
  });

  it('an inbound text belongs to the project of its number; unsigned ones to none', async () => {
    const club = await project('Club', twilioFrom(OTHER));
    const texts = await project('Texts', { telnyx: { apiKey: 'KEY1', publicKey: PUBLIC_KEY, from: OURS } });
    const inboundEvents = async () =>
      Promise.all(
        [shop, club, texts].map(async (scope) =>
          (await storedEvents(scope)).map(({ properties }) => properties['body']),
        ),
      );
    await inbound('for the club', { To: OTHER });
    await inbound('for the shop');
    const refused = { code: 'UNAUTHORIZED', details: { reason: 'bad_signature' } };
    await expect(inbound('forged', {}, { token: 'b'.repeat(32) })).rejects.toMatchObject(refused);
    await expect(inbound('of another org', {}, { org: 'nobody' })).resolves.toMatchObject({ applied: 0 });
    const { id: elsewhere } = await beckon.tenancy.createOrg({ name: 'Other' });
    expect(await inbound('of another org', {}, { org: elsewhere })).toMatchObject({ events: 0 });
    expect(await inboundEvents()).toEqual([['for the shop'], ['for the club'], []]);
    // A number in no settings: the project that last sent to the user.
    await send({ from: '+15005550009' }, club);
    await inbound('an answer', { To: '+15005550009' });
    const body = JSON.stringify({
      data: {
        id: 'event-1',
        event_type: 'message.received',
        occurred_at: clock.now().toISOString(),
        payload: { id: 'in-1', from: { phone_number: ANN }, to: [{ phone_number: OURS }], text: 'STOP' },
      },
    });
    const seconds = clock.now().getTime() / 1_000;
    const headers = {
      'telnyx-timestamp': `${seconds}`,
      'telnyx-signature-ed25519': sign(null, Buffer.from(`${seconds}|${body}`), privateKey).toString('base64'),
    };
    expect(await receive('telnyx', '', headers, body)).toMatchObject({ applied: 1, reply: null });
    expect(await receive('telnyx', '', headers, body)).toMatchObject({ applied: 0, duplicates: 1 });
    expect(await inboundEvents()).toEqual([['for the shop'], ['for the club', 'an answer'], ['STOP', 'STOP']]);
    expect((await beckon.suppressions.list(shop, 'sms')).data).toEqual([]);
    // A URL with a project key means that project, whatever the number.
    const named = (await beckon.callbacks.urls(club)).data.find(({ provider }) => provider === 'twilio');
    const { pathname, search } = new URL(named?.url ?? '');
    expect(pathname).toBe(`/api/v1/sms/webhooks/twilio/${orgId}`);
    await inbound('by its URL', {}, { query: search.slice(1) });
    expect(await inboundEvents()).toMatchObject([
      { length: 1 },
      ['for the club', 'an answer', 'by its URL'],
      { length: 2 },
    ]);
  });
});
