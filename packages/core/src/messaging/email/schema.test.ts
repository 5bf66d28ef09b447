import { describe, expect, it } from 'vitest';
import { BeckonError } from '../../foundation/errors.ts';
import { MAX_USER_IDS } from '../sends/fields.ts';
import { localisedMail, MAX_TO, parseEmailSend } from './schema.ts';

const mail = { to: 'ann@example.com', subject: 'Hi', text: 'There' };

const refused = (body: unknown): readonly string[] => {
  try {
    parseEmailSend(body);
  } catch (error) {
    if (!(error instanceof BeckonError) || error.code !== 'VALIDATION_ERROR') throw error;
    // Proof of the cast: every VALIDATION_ERROR of a parse is made by validationError, which sets fieldErrors.
    const { fieldErrors } = error.details as { fieldErrors: Record<string, readonly string[]> };
    return Object.keys(fieldErrors);
  }
  return [];
};

describe('parseEmailSend', () => {
  it('parseEmailSend turns a body into a request', () => {
    expect(
      parseEmailSend({
        to: ['Ann@Example.com', { email: 'bob@example.com', name: 'Bob, "B"' }],
        from: 'news@acme.test',
        replyTo: { email: 'help@acme.test', name: 'Help' },
        subject: 'Hi {{trait.name}}',
        html: '<p>There</p>',
        preheader: 'Look',
        headers: { 'X-A': '1' },
        tags: { kind: 'spring' },
        category: 'news',
        class: 'transactional',
        scheduledFor: '2026-03-01T14:00:00+02:00',
        dryRun: true,
      }),
    ).toEqual({
      channel: 'email',
      source: 'api',
      class: 'transactional',
      title: 'Hi {{trait.name}}',
      variables: {},
      tags: { kind: 'spring' },
      category: 'news',
      scheduledFor: new Date('2026-03-01T12:00:00.000Z'),
      isDryRun: true,
      content: {
        from: { email: 'news@acme.test', name: null },
        replyTo: { email: 'help@acme.test', name: 'Help' },
        subject: 'Hi {{trait.name}}',
        html: '<p>There</p>',
        preheader: 'Look',
        headers: { 'X-A': '1' },
      },
      recipients: [
        { kind: 'address', address: 'Ann@example.com', name: null },
        { kind: 'address', address: 'bob@example.com', name: 'Bob, "B"' },
      ],
      warnings: [],
    });
  });

  it('an email is marketing by default', () => {
    expect(parseEmailSend(mail).class).toBe('marketing');
    expect(refused({ ...mail, class: 'urgent' })).toEqual(['class']);
  });

  it('recipients can be user ids', () => {
    const { recipients } = parseEmailSend({ userIds: ['u1', 'u\ud800'], subject: 'Hi', text: 'There' });
    expect(recipients).toEqual([
      { kind: 'user', userId: 'u1' },
      { kind: 'user', userId: 'u\ufffd' },
    ]);
    expect(refused({ userIds: ['u\0'], subject: 'Hi', text: 'There' })).toEqual(['userIds.0']);
  });

  it('an email has exactly one kind of recipients', () => {
    expect(refused({ subject: 'Hi', text: 'There' })).toEqual(['to']);
    expect(refused({ ...mail, userIds: ['u1'] })).toEqual(['to']);
  });

  it('an email has at most 50 addresses or 1,000 users', () => {
    const to = Array.from({ length: MAX_TO }, (_, at) => `p${at}@example.com`);
    const userIds = Array.from({ length: MAX_USER_IDS }, (_, at) => `u${at}`);
    const rest = { subject: 'Hi', text: 'There' };
    expect(parseEmailSend({ ...rest, to }).recipients).toHaveLength(50);
    expect(refused({ ...rest, to: [...to, 'q@example.com'] })).toEqual(['to']);
    expect(parseEmailSend({ ...rest, userIds }).recipients).toHaveLength(1_000);
    expect(refused({ ...rest, userIds: [...userIds, 'u'] })).toEqual(['userIds']);
  });

  it('an email needs a subject and a body, and has at most one HTML body', () => {
    expect(refused({ to: mail.to })).toEqual(['subject']);
    expect(refused({ to: mail.to, subject: 'Hi' })).toEqual(['text']);
    expect(refused({ ...mail, html: 'a', bodyHtml: 'b' })).toEqual(['bodyHtml']);
    expect(refused({ to: mail.to, subject: 'Hi', bodyHtml: 'b' })).toEqual([]);
  });

  it.each(['a\r\nBcc: eve@example.com', 'a\nb', 'a\0b', 'a\u2028b'])('%j is rejected in every header field', (text) => {
    expect(refused({ ...mail, subject: text })).toEqual(['subject']);
    expect(refused({ ...mail, preheader: text })).toEqual(['preheader']);
    expect(refused({ ...mail, category: text })).toEqual(['category']);
    expect(refused({ ...mail, headers: { 'X-A': text } })).toEqual(['headers.X-A']);
    expect(refused({ ...mail, to: { email: 'ann@example.com', name: text } })).toEqual(['to.name']);
    expect(refused({ ...mail, from: { email: 'ann@example.com', name: text } })).toEqual(['from.name']);
    expect(refused({ ...mail, to: `${text}@example.com` })).toEqual(['to']);
    expect(refused({ ...mail, replyTo: `ann@example.com${text}` })).toEqual(['replyTo']);
  });

  it('a tab is rejected in header fields and accepted in texts, where it renders as a space', () => {
    const [tab, file] = ['a\tb', { contentType: 'text/plain', content: 'aGk=' }];
    expect(refused({ ...mail, to: { email: 'ann@example.com', name: tab } })).toEqual(['to.name']);
    expect(refused({ ...mail, from: { email: 'ann@example.com', name: tab } })).toEqual(['from.name']);
    expect(refused({ ...mail, headers: { 'X-A': tab } })).toEqual(['headers.X-A']);
    expect(refused({ ...mail, attachments: [{ ...file, filename: tab }] })).toEqual(['attachments.0.filename']);
    expect(refused({ ...mail, subject: tab, preheader: tab })).toEqual([]);
  });

  it('copies are messages of their own, and their headers name all recipients except bcc', () => {
    const cc = [{ email: 'bob@example.com', name: 'Bob' }, 'cid@example.com'];
    const { content, recipients } = parseEmailSend({ ...mail, cc, bcc: 'dee@example.com' });
    expect(recipients).toEqual([
      { kind: 'address', address: 'ann@example.com', name: null },
      { kind: 'address', address: 'bob@example.com', name: 'Bob', role: 'cc' },
      { kind: 'address', address: 'cid@example.com', name: null, role: 'cc' },
      { kind: 'address', address: 'dee@example.com', name: null, role: 'bcc' },
    ]);
    expect(content['addressed']).toEqual({
      to: { email: 'ann@example.com', name: null },
      cc: [
        { email: 'bob@example.com', name: 'Bob' },
        { email: 'cid@example.com', name: null },
      ],
    });
    expect(JSON.stringify(content)).not.toContain('dee');
  });

  it('copies need exactly one recipient', () => {
    for (const copy of ['cc', 'bcc']) {
      const rest = { subject: 'Hi', text: 'There', [copy]: 'bob@example.com' };
      expect(refused({ ...rest, to: ['ann@example.com', 'eve@example.com'] })).toEqual([copy]);
      expect(refused({ ...rest, userIds: ['u1'] })).toEqual([copy]);
      expect(refused({ ...rest, to: ['ann@example.com'] })).toEqual([]);
      expect(refused({ ...mail, [copy]: 'bob@example.com, eve@example.com' })).toEqual([copy]);
      expect(refused({ ...mail, [copy]: Array.from({ length: 51 }, (_, at) => `p${at}@example.com`) })).toEqual([copy]);
    }
  });

  it.each(['a,b@example.com', '"a,b"@example.com', '"a, b" <ann@example.com>', 'ann@example.com,bob@example.com'])(
    'the address %s is rejected in every field, since email would go to more or other mailboxes',
    (wrong) => {
      for (const to of [
        wrong,
        { email: wrong },
        { email: wrong, name: 'Ann' },
        ['bob@example.com', wrong],
        [{ email: wrong }],
      ])
        expect(refused({ ...mail, to }), JSON.stringify(to)).not.toEqual([]);
      for (const field of ['cc', 'bcc', 'from', 'replyTo']) {
        for (const invalid of [wrong, { email: wrong, name: null }])
          expect(refused({ ...mail, [field]: invalid }), field).not.toEqual([]);
      }
      for (const copy of ['cc', 'bcc'])
        expect(refused({ ...mail, [copy]: ['bob@example.com', wrong] })).not.toEqual([]);
    },
  );

  it('a comma in a display name does not split the address', () => {
    const { recipients } = parseEmailSend({
      ...mail,
      to: { email: 'ann@example.com', name: 'Ann, "A" <eve@example.com>' },
    });
    expect(recipients).toEqual([{ kind: 'address', address: 'ann@example.com', name: 'Ann, "A" <eve@example.com>' }]);
  });

  it('an invalid address in a list is named', () => {
    expect(refused({ ...mail, to: ['ann@example.com', 'bob', { email: 'eve@example.com,x@example.com' }] })).toEqual([
      'to.1',
      'to.2.email',
    ]);
  });

  it('an email may have localized content only; faults name the entry', () => {
    const localized = { es: { subject: 'Hola', text: 'Hola' } };
    expect(refused({ to: 'ann@example.com', subject: 'Hi', localized })).toEqual([]);
    expect(refused({ to: 'ann@example.com', subject: 'Hi', localized: {} })).toEqual(['text']);
    const request = parseEmailSend({ ...mail, localized: { es: { text: 'Hola', colour: 'red' } } });
    expect(request.warnings).toEqual(['The key localized.es.colour is unknown and was ignored.']);
    expect(request.content['localized']).toEqual({ es: { text: 'Hola' } });
  });

  it('localized content uses one entry as a whole', () => {
    const localizedTo = (more: object, locale: string | null) => {
      const made = localisedMail({ subject: 'Hi', ...more }, locale);
      return 'unsupported' in made ? null : { ...made.content, tag: made.tag };
    };
    const whole = { text: 'Hi', bodyHtml: '<p>Hi', preheader: 'Look' };
    const es = { subject: 'Hola', html: '<p>Hola' };
    expect(localizedTo({ ...whole, localized: { es } }, 'es-MX')).toEqual({
      subject: 'Hola',
      html: '<p>Hola',
      tag: 'es',
    });
    expect(localizedTo({ ...whole, localized: { es: { text: 'Hola' } } }, 'es')).toEqual({
      subject: 'Hi',
      text: 'Hola',
      tag: 'es',
    });
    expect(localizedTo({ ...whole, localized: { es } }, 'fr')).toEqual({ subject: 'Hi', ...whole, tag: null });
    expect(localizedTo({ ...whole, localized: { es: { subject: 'Hola', text: '' } } }, 'es')).toEqual({
      ...whole,
      subject: 'Hola',
      tag: 'es',
    });
    expect(localizedTo({ localized: { es } }, 'fr')).toBeNull();
    expect(localizedTo({ localized: { es: { subject: 'Hola' } } }, 'es')).toBeNull();
    const shadowed = { 'es-MX': { subject: '', text: '', html: '' }, es };
    expect(localizedTo({ ...whole, localized: shadowed }, 'es-MX')).toMatchObject({ subject: 'Hola', tag: 'es' });
  });

  it('variables must be an object', () => {
    expect(refused({ ...mail, variables: 'x' })).toEqual(['variables']);
  });

  it('an email is for addresses, users or an audience, and for one of them only', () => {
    const audienceId = '01890000-0000-7000-8000-000000000000';
    const { to: _, ...localizedTo } = mail;
    expect(parseEmailSend({ ...localizedTo, audienceId })).toMatchObject({
      source: 'audience',
      audienceId,
      recipients: [],
    });
    expect(parseEmailSend({ ...mail, audienceId: null })).toMatchObject({ source: 'api' });
    expect(refused({ ...localizedTo, audienceId: 'x' })).toEqual(['audienceId']);
    expect(refused({ ...mail, audienceId })).toEqual(['to']);
    expect(refused({ ...localizedTo, userIds: ['ann'], audienceId })).toEqual(['to']);
  });

  it('tracking is stored with the base URL of its links', () => {
    const tracked = (tracking: unknown) =>
      parseEmailSend({ ...mail, tracking }, { publicUrl: 'https://beckon.shop.test/base' }).content['tracking'];
    const baseUrl = 'https://beckon.shop.test/base/api/v1';
    expect(tracked({ opens: true, clicks: true })).toEqual({ opens: true, clicks: true, baseUrl });
    expect(tracked({ clicks: true })).toEqual({ opens: false, clicks: true, baseUrl });
    for (const nothing of [undefined, {}, { opens: false, clicks: false }]) expect(tracked(nothing)).toBeUndefined();
  });

  it('tracking without a publicUrl is rejected with a pointer to the operator', () => {
    expect(refused({ ...mail, tracking: { opens: true } })).toEqual(['tracking']);
    expect(() => parseEmailSend({ ...mail, tracking: { clicks: true } })).toThrow(
      expect.objectContaining({ details: { fieldErrors: { tracking: [expect.stringContaining('publicUrl')] } } }),
    );
    expect(refused({ ...mail, tracking: { opens: false } })).toEqual([]);
    expect(refused({ ...mail, tracking: { opens: 'yes' } })).toEqual(['tracking.opens']);
    expect(refused({ ...mail, tracking: true })).toEqual(['tracking']);
  });

  it('unknown keys are named at any depth, at most twenty', () => {
    const to = { email: 'ann@example.com', nickname: 'A' };
    const tracking = { replies: true };
    expect(parseEmailSend({ ...mail, to, tracking, colour: 'red', projectId: 'p' }).warnings).toEqual([
      'The key colour is unknown and was ignored.',
      'The key to.nickname is unknown and was ignored.',
      'The key tracking.replies is unknown and was ignored.',
    ]);
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`k${at}`, 1]));
    expect(parseEmailSend({ ...mail, ...many }).warnings).toHaveLength(20);
  });

  it('tags and headers are limited', () => {
    const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`X-${at}`, 'v']));
    expect(refused({ ...mail, tags: pairs(10), headers: pairs(20) })).toEqual([]);
    expect(refused({ ...mail, tags: pairs(11) })).toEqual(['tags']);
    expect(refused({ ...mail, headers: pairs(21) })).toEqual(['headers']);
    expect(refused({ ...mail, tags: { a: 1 } })).toEqual(['tags.a']);
  });

  it('free text is made storable in both databases', () => {
    expect(parseEmailSend({ ...mail, text: 'a\0b\ud800', tags: { k: '\0' } })).toMatchObject({
      content: { text: 'a\ufffdb\ufffd' },
      tags: { k: '\ufffd' },
    });
  });

  it.each([null, 'text', [], 7])('the body %j is rejected as a whole', (body) => {
    expect(refused(body)).not.toEqual([]);
  });

  it('a hostile body cannot set a prototype', () => {
    const hostile = JSON.parse('{"__proto__":{"isAdmin":true},"headers":{"__proto__":"x"},"tags":{"__proto__":"x"}}');
    refused({ ...mail, ...hostile });
    refused(JSON.parse(`{"to":"ann@example.com","subject":"s","text":"t","__proto__":{"isAdmin":true}}`));
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(Object.hasOwn(Object.prototype, 'isAdmin')).toBe(false);
  });
});
