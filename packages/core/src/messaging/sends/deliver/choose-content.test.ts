import { describe, expect, it } from 'vitest';
import { messageRow } from '../../../../test/support/sends/message.ts';
import { unchecked } from '../../../../test/support/unchecked.ts';
import type { Localised } from '../../templates/locale.ts';
import { chooseContent } from './choose-content.ts';
import { subjectOf, type TestView, unitOf, type Variant } from './variants.ts';

const VARIANTS: Readonly<Record<string, Variant>> = {
  a: { key: 'a', fields: { body: 'A' } },
  b: { key: 'b', fields: { html: 'B', localized: { es: 'C' } } },
};
/** A test that assigns the second variant to user `bob`. */
const test = (status: TestView['status'] = 'running'): TestView => ({
  status,
  variantOf: (key) => VARIANTS[key] ?? null,
  texts: [],
  pick: (subject) => ({ variant: VARIANTS[subject === 'bob' ? 'b' : 'a'] ?? null, bucket: 7 }),
});
const content = { body: 'Own', bodyHtml: 'Own', title: 'T' };
const choose = (
  row: Parameters<typeof messageRow>[0],
  view: TestView | null,
  { own = content, locale = null }: { own?: Readonly<Record<string, unknown>>; locale?: string | null } = {},
) => chooseContent({}, { row: messageRow(row), send: { content: own, abTestId: 'test' }, test: view, locale });

describe('chooseContent', () => {
  it('variant fields override those of the send; other fields stay', () => {
    expect(choose({ person: 'u:ann' }, test())).toEqual({
      content: { ...content, body: 'A' },
      locale: null,
      localized: null,
      variant: 'a',
      abTest: 'running',
      bucket: 7,
    });
  });

  it('a message has one HTML part, that of its variant', () => {
    const { content: chosen } = choose({ person: 'u:bob' }, test());
    expect(chosen).toEqual({ body: 'Own', title: 'T', html: 'B', localized: { es: 'C' } });
  });

  it('a message keeps its variant unless the test no longer has it', () => {
    expect(choose({ person: 'u:ann', variant: 'b' }, test())).toMatchObject({ variant: 'b', bucket: null });
    expect(choose({ person: 'u:ann', variant: 'gone' }, test())).toMatchObject({ variant: 'a', bucket: 7 });
  });

  it.each(['paused', 'completed'] as const)('a message has the content of its send while the test is %s', (status) => {
    const own = { content, variant: null, abTest: status, bucket: null };
    expect(choose({ person: 'u:ann' }, test(status))).toMatchObject(own);
    expect(choose({ person: 'u:ann', variant: 'b' }, test(status))).toMatchObject(own);
  });

  it('a message has the content of its send if the test is unknown or none is named', () => {
    expect(choose({}, null)).toMatchObject({ content, variant: null, abTest: 'unknown' });
    const send = { content, abTestId: null };
    const plain = chooseContent({}, { row: messageRow(), send, test: test(), locale: null });
    expect(plain).toMatchObject({ content, variant: null, abTest: null });
  });

  it('the language is chosen within the variant', () => {
    const localise = (chosen: Readonly<Record<string, unknown>>, locale: string | null): Localised<object> =>
      locale === 'es' ? { content: { said: chosen['localized'] }, tag: 'es' } : { unsupported: true };
    const facts = { row: messageRow({ person: 'u:bob' }), send: { content, abTestId: 'test' }, test: test() };
    expect(chooseContent({ localise: unchecked(localise) }, { ...facts, locale: 'es' })).toMatchObject({
      content: { said: { es: 'C' } },
      localized: 'es',
      variant: 'b',
    });
    expect(chooseContent({ localise: unchecked(localise) }, { ...facts, locale: 'fr' })).toMatchObject({
      content: null,
      variant: 'b',
    });
  });

  it('a copy has the variant of the original email', () => {
    const own = { ...content, addressed: { to: { email: 'bob' } } };
    for (const role of ['cc', 'bcc'] as const)
      expect(choose({ role, address: 'ann@example.com' }, test(), { own })).toMatchObject({ variant: 'b' });
    expect(choose({ role: 'cc', address: 'bob' }, test())).toMatchObject({ variant: null });
  });
});

describe('A/B test subjects', () => {
  it('the subject is the user, else the device, else the address', () => {
    const subject = (row: Parameters<typeof messageRow>[0]) => subjectOf(messageRow(row), null);
    expect(subject({ person: 'u:ann', tokenId: 't1' })).toBe('ann');
    expect(subject({ tokenId: 't1', address: 'fcm:1' })).toBe('t1');
    expect(subject({ address: 'ann@example.com' })).toBe('ann@example.com');
    expect(subject({ address: null })).toBeNull();
  });

  it('users, devices and addresses are counted by distinct keys that fit any index', () => {
    expect(unitOf(messageRow({ person: 'u:ann', tokenId: 't1' }))).toBe('u:ann');
    expect(unitOf(messageRow({ tokenId: 't1' }))).toBe('t:t1');
    const long = unitOf(messageRow({ address: 'x'.repeat(10_000) }));
    expect(long).toMatch(/^d:[0-9a-f]{64}$/);
    expect(unitOf(messageRow({ address: 'y' }))).not.toBe(long);
  });
});
