import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tokensOf } from '../../test/support/identity/tokens.ts';
import { type AuthWorld, EMAIL, HOUR, MINUTE, openAuth, PASSWORD } from '../../test/support/identity/world.ts';

const LINK = { subject: 'Enter Acme', text: 'Hello. Enter: {{auth.link}} or code: {{auth.code}}' };

describe('stored templates of sign-in emails', () => {
  let world: AuthWorld;
  beforeEach(async () => {
    world = await openAuth();
    await world.users.create(world.scope, { email: EMAIL, emailVerified: true, locale: 'es-MX' });
    await world.users.create(world.scope, { email: 'bob@example.com', emailVerified: true });
  });
  afterEach(() => world.close());

  let count = 0;
  const use = async (input: object, kind = 'magic_link') => {
    count += 1;
    const { id } = await world.beckon.templates.create(world.scope, 'email', {
      // Safe: the tests pass the fields of an email.
      ...(input as typeof LINK),
      name: `template ${count}`,
    });
    await world.auth.updateSettings(world.scope, { mail: { templates: { [kind]: id } } });
    return id;
  };
  const link = async (email = EMAIL) => {
    world.clock.advance(MINUTE);
    await world.auth.requestMagicLink(world.scope, { email });
    return world.lastEmail();
  };
  const faults = async () =>
    (await world.auth.audit(world.scope, { action: 'mail.template' })).data.map(({ result }) => result);

  it('a template replaces the built-in text in the language of the account, with the link and the code', async () => {
    const { auth, scope, beckon } = world;
    const id = await use({ ...LINK, localized: { es: { subject: 'Entrar', text: 'Entra: {{auth.link}}' } } });
    const spanish = await link();
    expect(spanish).toMatchObject({ subject: 'Entrar', text: expect.stringMatching(/^Entra: https:/) });
    await tokensOf(auth.signInWithMagicLink(scope, { token: spanish.token }));
    const english = await link('bob@example.com');
    expect(english).toMatchObject({ subject: 'Enter Acme', code: expect.stringMatching(/^\d{6}$/) });
    await tokensOf(auth.signInWithMagicLink(scope, { token: english.token }));
    const { data } = await beckon.sends.list(scope, 'email');
    expect(JSON.stringify(data)).not.toContain(english.token);
    expect(id).toMatch(/^[\da-f-]{36}$/);
    expect(await faults()).toEqual([]);
  });

  it('a template of one kind does not change other emails', async () => {
    const { auth, scope } = world;
    await use(LINK);
    await auth.signUp(scope, { email: 'new@example.com', password: PASSWORD });
    expect((await world.lastEmail()).subject).toBe('Confirm your email address');
  });

  it.each([
    ['missing', { ...LINK }],
    ['no_link_or_code', { subject: 'Hi', text: 'Hello' }],
    ['secret_in_subject', { subject: '{{auth.code}}', text: '{{auth.code}}' }],
    ['no_content', { subject: 'Hi', localized: { fr: { text: '{{auth.link}}' } } }],
  ] as const)(
    'give way to the built-in text where they cannot serve, which is audited once an hour: %s',
    async (fault, input) => {
      const { beckon, scope, clock } = world;
      const id = await use(input);
      if (fault === 'missing') await beckon.templates.delete(scope, 'email', id);
      expect((await link()).subject).toBe('Your sign-in link');
      expect((await link()).subject).toBe('Your sign-in link');
      await expect.poll(faults).toEqual([fault]);
      clock.advance(HOUR);
      await link();
      await expect.poll(faults).toEqual([fault, fault]);
      const [entry] = (await world.auth.audit(scope, { action: 'mail.template' })).data;
      expect(entry).toMatchObject({ actor: 'system', detail: { kind: 'magic_link', templateId: id, fault } });
    },
  );

  it('emails of a template are not tracked, even if the template enables tracking', async () => {
    const { scope, beckon } = world;
    await use({ subject: 'Hi', html: '<a href="{{auth.link}}">in</a>', tracking: { clicks: true, opens: true } });
    await link();
    const { data } = await beckon.outbox.list(scope, { channel: 'email' });
    const html = JSON.stringify(data[0]?.content);
    expect(html).toContain('https://app.example.com/auth?token=ml_');
    expect(html).not.toContain('beckon.test');
    expect(html).not.toContain('<img');
  });
});
