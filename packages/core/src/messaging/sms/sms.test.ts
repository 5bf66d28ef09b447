import { describe, expect, it } from 'vitest';
import { testScope } from '../../../test/support/scopes.ts';
import { unchecked } from '../../../test/support/unchecked.ts';
import type { ProfileView } from '../../people/profiles/view.ts';
import type { Submit } from '../sends/accept/submit.ts';
import type { DryRun, Send } from '../sends/answers.generated.ts';
import type { Recipient, SendRequest } from '../sends/schema.ts';
import { smsChannel, smsEngine } from './sms.ts';

const scope = testScope({ orgId: 'o', projectId: 'p', environment: 'prod' });
const ANN = '+14155550123';

const profile = (phone: string | null, trait: unknown): ProfileView => ({
  ...scope,
  person: 'u:1',
  traits: { phone: trait },
  version: 1,
  isTruncated: false,
  email: null,
  phone,
  locale: null,
  timezone: null,
  createdAt: new Date(0),
  lastSeenAt: new Date(0),
});

describe('the SMS channel', () => {
  const { addressesOf, addressKey, render } = smsChannel();
  const user: Recipient = { kind: 'user', userId: '1' };
  const reached = (recipient: Recipient, known?: ProfileView) =>
    addressesOf({ target: { ...scope, recipient }, profile: known, loaded: [], content: {} });
  const at = (address: string) => [{ address, name: null, facts: {} }];
  const nowhere = { none: 'no_address' };

  it("a user's number is that of the profile, else of the trait, if valid", () => {
    expect(reached(user, profile(ANN, '+491701234567'))).toEqual(at(ANN));
    expect(reached(user, profile(null, '+491701234567'))).toEqual(at('+491701234567'));
    for (const trait of ['0170 1234567', 491701234567, { a: 1 }, null, '']) {
      expect(reached(user, profile(null, trait))).toEqual(nowhere);
    }
    expect(reached(user)).toEqual(nowhere);
  });

  it('a number in the request is used unchanged', () => {
    expect(reached({ kind: 'address', address: ANN, name: null })).toEqual(at(ANN));
    expect(reached({ kind: 'address', address: '123', name: null })).toEqual(nowhere);
    expect(addressKey(ANN)).toBe(ANN);
  });

  it('a message that cannot be rendered has a reason', () => {
    const input = {
      scope,
      messageId: 'm-1',
      sendId: 's-1',
      to: { address: ANN, name: null, facts: {} },
      defaultFrom: { email: 'x@x.test', name: null },
      role: 'to' as const,
      class: 'marketing' as const,
      statusCallback: 'https://beckon.test/callback',
      scopes: { trait: { long: 'x'.repeat(161) } },
      now: new Date(0),
    };
    expect(render({ body: 'Hi', maxSegments: 1 }, input)).toMatchObject({
      verdict: 'pass',
      message: { to: ANN, body: 'Hi', messageId: 'm-1', statusCallback: 'https://beckon.test/callback' },
    });
    expect(render({ body: '{{trait.long}}', maxSegments: 1 }, input)).toEqual({
      verdict: 'failed',
      code: 'too_many_segments',
      message: 'The text takes 2 segments; the send allows 1.',
    });
    expect(render({ body: '{{trait.none}}', maxSegments: 1 }, input)).toEqual({
      verdict: 'suppressed',
      reason: 'empty_body',
    });
    expect(render({ body: '{{trait.long}}'.repeat(500), maxSegments: 1 }, input)).toMatchObject({
      verdict: 'failed',
      code: 'too_large',
    });
  });
});

describe('the SMS engine', () => {
  const engine = (contents: readonly (string | null)[] = []) => {
    const submitted: Parameters<Submit>[] = [];
    const submit: Submit = async (...call) => {
      submitted.push(call);
      // Proof of the cast: a body without a template is parsed at once.
      const request = call[1] as SendRequest;
      // Proof of the casts: the engine reads no other field of either.
      if (!request.isDryRun) return { id: 's', ...request.answer } as Partial<Send> as Send;
      const messages = contents.map((body) => ({ content: body === null ? null : { body } }));
      return { dryRun: true, messages, ...request.answer } as unknown as DryRun;
    };
    return { submitted, sms: smsEngine({ sending: { submit } }) };
  };

  it('the SMS engine submits the parsed request and adds the length of the text', async () => {
    const { submitted, sms } = engine();
    const sent = { to: ANN, body: 'ç'.repeat(71), colour: 'red' };
    const options = { idempotencyKey: 'order-17' };
    expect(await sms.send(scope, unchecked(sent), options)).toEqual({
      id: 's',
      segments: 2,
      encoding: 'UCS-2',
    });
    expect(submitted).toEqual([
      [
        scope,
        {
          channel: 'sms',
          source: 'api',
          class: 'marketing',
          category: null,
          tags: {},
          scheduledFor: null,
          isDryRun: false,
          title: 'ç'.repeat(71),
          content: { body: 'ç'.repeat(71), maxSegments: 4 },
          variables: {},
          recipients: [{ kind: 'address', address: ANN, name: null }],
          warnings: ['The key colour is unknown and was ignored.'],
          answer: { segments: 2, encoding: 'UCS-2' },
        },
        { ...options, body: sent },
      ],
    ]);
  });

  it('a text with variables has no length until a dry run renders it', async () => {
    const body = { to: ANN, body: 'Hi {{trait.name}}' };
    expect(await engine().sms.send(scope, body)).toMatchObject({ segments: null, encoding: null });
    const dry = { ...body, dryRun: true };
    expect(await engine([null, 'x'.repeat(161)]).sms.send(scope, dry)).toMatchObject({
      segments: 2,
      encoding: 'GSM-7',
    });
    expect(await engine([null]).sms.send(scope, dry)).toMatchObject({ segments: null, encoding: null });
  });

  it('an invalid body submits nothing', async () => {
    const { submitted, sms } = engine();
    await expect(sms.send(scope, unchecked({ to: ANN }))).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(submitted).toEqual([]);
  });
});
