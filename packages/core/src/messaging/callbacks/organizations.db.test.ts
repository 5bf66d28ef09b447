import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { certificateFor } from '../../../test/support/email/callbacks/certificate.ts';
import {
  MAILGUN_KEY,
  RESEND_SECRET,
  requestOf,
  SENDGRID_KEY,
  signMailgun,
  signPostmark,
  signResend,
  signSendgrid,
  signSns,
} from '../../../test/support/email/callbacks/signers.ts';
import { rowId } from '../../../test/support/row-ids.ts';
import { testScope, testScopes } from '../../../test/support/scopes.ts';
import type { Channel } from '../../foundation/channel.ts';
import { virtualClock } from '../../foundation/clock.ts';
import { isBeckonError } from '../../foundation/errors.ts';
import { uuidV7Ids } from '../../foundation/ids.ts';
import { openKeyring } from '../../platform/tenancy/keyring.ts';
import { mailgunReader } from '../email/callbacks/mailgun.ts';
import { postmarkReader } from '../email/callbacks/postmark.ts';
import { resendReader } from '../email/callbacks/resend.ts';
import { sendgridReader } from '../email/callbacks/sendgrid.ts';
import { sesReader } from '../email/callbacks/ses.ts';
import { messageFinder } from '../sends/track/find-messages.ts';
import { telnyxReader } from '../sms/callbacks/telnyx.ts';
import { twilioReader } from '../sms/callbacks/twilio.ts';
import { callbacksEngine } from './callbacks.ts';
import { callbackSecretsOf } from './email-settings.ts';
import { pathTokens } from './path-token.ts';
import type { CallbackReader, CallbackRequest } from './reader.ts';

const HERE = testScope({ orgId: 'path-a', projectId: 'app', environment: 'prod' });
const THERE = testScope({ orgId: 'path-b', projectId: 'app', environment: 'prod' });
const PUBLIC = 'https://push.example';
const clock = virtualClock('2026-03-01T12:00:00.000Z');
const now = clock.now();
const YEAR_MS = 365 * 86_400_000;

/** A message of the other organization, and its provider id. */
const OTHERS = rowId('others');
const PROVIDER_ID = '40385f64-5717-4562-b3fc-2c963f66afa6';

const amazon = certificateFor('sns.amazonaws.com', [
  new Date(now.getTime() - YEAR_MS),
  new Date(now.getTime() + YEAR_MS),
]);
const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:mail';
const telnyx = generateKeyPairSync('ed25519');
const TELNYX_KEY = telnyx.publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64');
const TWILIO_TOKEN = 'a'.repeat(32);
const seconds = now.getTime() / 1_000;

type Provider = {
  readonly channel: Channel;
  readonly reader: CallbackReader;
  /** Secrets of the organization that owns the message. */
  readonly secrets: readonly string[];
  /** A request signed for that organization and this path, which reports a delivery. */
  readonly delivered: (path: string) => CallbackRequest;
};

const PROVIDERS: readonly Provider[] = [
  {
    channel: 'email',
    reader: sesReader({ fetchCertificate: async () => amazon.pem }),
    secrets: [TOPIC],
    delivered: () =>
      signSns(
        {
          Type: 'Notification',
          MessageId: 'n1',
          TopicArn: TOPIC,
          Timestamp: now.toISOString(),
          SignatureVersion: '2',
          SigningCertURL: 'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-abc.pem',
          Message: JSON.stringify({
            eventType: 'Delivery',
            mail: { messageId: PROVIDER_ID, timestamp: now.toISOString(), tags: { messageId: [OTHERS] } },
            delivery: { timestamp: now.toISOString() },
          }),
        },
        amazon.privateKey,
      ),
  },
  {
    channel: 'email',
    reader: sendgridReader(),
    secrets: [SENDGRID_KEY],
    delivered: () => {
      const event = { email: 'a@b.c', timestamp: seconds, sg_event_id: 'e1', event: 'delivered', messageId: OTHERS };
      return signSendgrid(JSON.stringify([{ ...event, sg_message_id: `${PROVIDER_ID}.filter0001.1-0` }]), now);
    },
  },
  {
    channel: 'email',
    reader: postmarkReader(),
    secrets: callbackSecretsOf.postmark({ user: 'hook', password: 'pass' }),
    delivered: () =>
      signPostmark({
        RecordType: 'Delivery',
        MessageID: PROVIDER_ID,
        Recipient: 'a@b.c',
        DeliveredAt: now.toISOString(),
        Metadata: { messageId: OTHERS },
      }),
  },
  {
    channel: 'email',
    reader: mailgunReader(),
    secrets: [MAILGUN_KEY],
    delivered: () =>
      signMailgun(
        {
          id: 'e1',
          event: 'delivered',
          timestamp: seconds,
          message: { headers: { 'message-id': PROVIDER_ID } },
          'user-variables': { messageId: OTHERS },
        },
        now,
      ),
  },
  {
    channel: 'email',
    reader: resendReader(),
    secrets: [RESEND_SECRET],
    delivered: () => {
      const data = { email_id: PROVIDER_ID, tags: { messageId: OTHERS }, to: ['a@b.c'] };
      return signResend(JSON.stringify({ type: 'email.delivered', created_at: now.toISOString(), data }), now);
    },
  },
  {
    channel: 'sms',
    reader: twilioReader,
    secrets: [TWILIO_TOKEN],
    delivered: (path) => {
      const fields = { MessageSid: PROVIDER_ID, MessageStatus: 'delivered' };
      const signed = Object.entries(fields).reduce((text, [name, value]) => text + name + value, PUBLIC + path);
      const signature = createHmac('sha1', TWILIO_TOKEN).update(signed).digest('base64');
      return requestOf('twilio', new URLSearchParams(fields).toString(), { 'x-twilio-signature': signature });
    },
  },
  {
    channel: 'sms',
    reader: telnyxReader,
    secrets: [TELNYX_KEY],
    delivered: () => {
      const to = [{ phone_number: '+14155550123', status: 'delivered' }];
      const data = { record_type: 'event', id: 'e1', event_type: 'message.finalized', occurred_at: now.toISOString() };
      const body = JSON.stringify({ data: { ...data, payload: { id: PROVIDER_ID, direction: 'outbound', to } } });
      const signature = sign(null, Buffer.from(`${seconds}|${body}`), telnyx.privateKey).toString('base64');
      return requestOf('telnyx', body, { 'telnyx-timestamp': `${seconds}`, 'telnyx-signature-ed25519': signature });
    },
  },
];

describe('a callback on the path of one organization', () => {
  const tokens = pathTokens([Buffer.alloc(32, 7)]);
  let database: TestDatabase;
  let applied: string[];

  beforeEach(async () => {
    database = await openTestDatabase({ clock });
    applied = [];
  });
  afterEach(() => database.close());

  const engine = async () => {
    const { storage, tables } = database;
    return callbacksEngine({
      storage,
      tables,
      clock,
      ids: uuidV7Ids(clock),
      scopes: testScopes,
      keyring: await openKeyring({ storage, tables, clock, masterKeys: [Buffer.alloc(32, 'k1')] }),
      tokens,
      find: messageFinder({ storage, tables }),
      sources: PROVIDERS.map(({ channel, reader, secrets }) => ({
        channel,
        reader,
        secrets: async (scope) => (scope === THERE ? secrets : ['another secret']),
        // As inbound texts find the owner of a number: here in both organizations.
        scopes: async () => [HERE, THERE],
        apply: async (_, { scope, message, mark }) => {
          const { ok } = await storage.commit({ writes: mark() });
          if (ok) applied.push(`${reader.provider} ${scope.orgId} ${message?.id ?? 'no message'}`);
          return ok ? 'applied' : 'duplicate';
        },
      })),
      publicUrl: PUBLIC,
      log: { warn: () => undefined },
    });
  };
  /** Posts the delivery report of the other organization's message. */
  const post = async ({ channel, reader, delivered }: Provider, orgId: string | undefined, query = '') => {
    const path = `/api/v1/${channel}/webhooks/${reader.provider}${orgId === undefined ? '' : `/${orgId}`}`;
    const { headers, rawBody } = delivered(`${path}${query === '' ? '' : `?${query}`}`);
    const { api } = await engine();
    const input = {
      channel,
      provider: reader.provider,
      method: 'POST',
      path,
      query,
      header: (name: string) => headers.get(name) ?? undefined,
      body: rawBody,
      ...(orgId === undefined ? {} : { orgId }),
    };
    return api.receive(input).then(
      ({ applied: count }) => count,
      (error: unknown) => (isBeckonError(error, 'UNAUTHORIZED') ? 'refused' : String(error)),
    );
  };
  const send = (channel: Channel) =>
    database.storage.db.insert(database.tables.messages).values({
      ...{ scopeId: THERE.scopeId, id: OTHERS, sendId: rowId('s'), channel, providerId: PROVIDER_ID, person: null },
      ...{ role: 'to', status: 'sent', facts: {}, attempt: 1, address: 'a@b.c', createdAt: now, priority: 0, fence: 1 },
    });
  const kept = () => database.storage.db.select().from(database.tables.callbacks);

  for (const provider of PROVIDERS) {
    const { channel, reader } = provider;
    it(`a callback on the path of one organization never changes a message of another, although ${reader.provider} signed it for that one`, async () => {
      await send(channel);
      const ownQuery = `k=${tokens.sign(THERE)}`;
      for (const query of ['', ownQuery, `m=${OTHERS}`, `${ownQuery}&m=${OTHERS}`])
        expect(await post(provider, HERE.orgId, query)).toBe('refused');
      expect(applied).toEqual([]);
      expect(await kept()).toEqual([]);
      // The same request on its own organization's path is accepted, so the rejections above have no other reason.
      expect(await post(provider, THERE.orgId)).toBe(1);
      expect(applied).toEqual([`${reader.provider} path-b ${OTHERS}`]);
      expect((await kept()).map(({ scopeId }) => scopeId)).toEqual([THERE.scopeId]);
    });
  }
});
