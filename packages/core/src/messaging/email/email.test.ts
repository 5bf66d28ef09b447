import { describe, expect, it } from 'vitest';
import { testScope } from '../../../test/support/scopes.ts';
import { unchecked } from '../../../test/support/unchecked.ts';
import type { ProfileView } from '../../people/profiles/view.ts';
import type { Send } from '../sends/answers.generated.ts';
import type { SendRequest } from '../sends/schema.ts';
import { emailChannel, emailEngine } from './email.ts';

const scope = testScope({ orgId: 'o', projectId: 'p', environment: 'prod' });

const engine = (publicUrl = 'https://b.example') => {
  const submitted: SendRequest[] = [];
  const email = emailEngine({
    publicUrl,
    submit: async (_, request) => {
      // Proof of the cast: a body without a template is parsed at once.
      submitted.push(request as SendRequest);
      // Proof of the cast: the engine passes the answer on without reading it.
      return { id: 's' } as Send;
    },
  });
  return { submitted, email };
};

describe('the email engine', () => {
  it('the email engine submits the parsed request', async () => {
    const { submitted, email } = engine();
    expect(
      await email.send(scope, unchecked({ to: 'ann@example.com', subject: 'Hi', text: 'There', colour: 1 })),
    ).toEqual({
      id: 's',
    });
    expect(submitted).toEqual([
      {
        channel: 'email',
        source: 'api',
        class: 'marketing',
        title: 'Hi',
        content: { subject: 'Hi', text: 'There' },
        variables: {},
        category: null,
        tags: {},
        scheduledFor: null,
        hasMailPermit: false,
        isDryRun: false,
        recipients: [{ kind: 'address', address: 'ann@example.com', name: null }],
        warnings: ['The key colour is unknown and was ignored.'],
      },
    ]);
  });

  it('marketing without an unsubscribe link gets a warning', async () => {
    const test = testScope({ orgId: 'o', projectId: 'p', environment: 'test' });
    const { submitted, email } = engine('http://b.example');
    const mail = { to: 'ann@example.com', subject: 'Hi', text: 'There' };
    await email.send(scope, mail);
    await email.send(scope, { ...mail, class: 'transactional' });
    await email.send(test, mail);
    expect(submitted.map(({ warnings }) => warnings)).toEqual([
      [expect.stringContaining('carries no List-Unsubscribe header')],
      [],
      [],
    ]);
  });

  it('an invalid body is rejected before the provider check', async () => {
    const { submitted, email } = engine();
    await expect(email.send(scope, unchecked({ subject: 'Hi' }))).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(submitted).toEqual([]);
  });

  it("a user's address is that of the profile, else of the trait, if valid", () => {
    const { addressesOf } = emailChannel();
    const profile = (email: string | null, trait: unknown): ProfileView => ({
      ...scope,
      person: 'u:1',
      traits: { email: trait },
      version: 1,
      isTruncated: false,
      email,
      phone: null,
      locale: null,
      timezone: null,
      createdAt: new Date(0),
      lastSeenAt: new Date(0),
    });
    const reached = (known: ProfileView | undefined) =>
      addressesOf({
        target: { ...scope, recipient: { kind: 'user', userId: '1' } },
        content: {},
        profile: known,
        loaded: [],
      });
    const at = (address: string) => [{ address, name: null, facts: {} }];
    expect(reached(profile('Set@Example.com', 'trait@example.com'))).toEqual(at('Set@example.com'));
    expect(reached(profile(null, 'trait@example.com'))).toEqual(at('trait@example.com'));
    for (const nowhere of [profile(null, 'a@example.com, b@example.com'), profile(null, { email: 'x' }), undefined])
      expect(reached(nowhere)).toEqual({ none: 'no_address' });
  });
});
