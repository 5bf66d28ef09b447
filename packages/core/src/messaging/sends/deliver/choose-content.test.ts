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
/** Gives whoever is known as `bob` the second variant. */
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

describe('the content of a message', () => {
  it('is what its variant says, and the rest of the send', () => {
    expect(choose({ person: 'u:ann' }, test())).toEqual({
      content: { ...content, body: 'A' },
      locale: null,
      localized: null,
      variant: 'a',
      abTest: 'running',
      bucket: 7,
    });
  });

  it('has one HTML, that of the variant', () => {
    const { content: said } = choose({ person: 'u:bob' }, test());
    expect(said).toEqual({ body: 'Own', title: 'T', html: 'B', localized: { es: 'C' } });
  });

  it('stays with the variant that the message was given, unless the test has it no more', () => {
    expect(choose({ person: 'u:ann', variant: 'b' }, test())).toMatchObject({ variant: 'b', bucket: null });
    expect(choose({ person: 'u:ann', variant: 'gone' }, test())).toMatchObject({ variant: 'a', bucket: 7 });
  });

  it.each(['paused', 'completed'] as const)('is the own one of the send while its test is %s', (status) => {
    const own = { content, variant: null, abTest: status, bucket: null };
    expect(choose({ person: 'u:ann' }, test(status))).toMatchObject(own);
    expect(choose({ person: 'u:ann', variant: 'b' }, test(status))).toMatchObject(own);
  });

  it('is the own one of the send where there is no such test, and where it names none', () => {
    expect(choose({}, null)).toMatchObject({ content, variant: null, abTest: 'unknown' });
    const send = { content, abTestId: null };
    const plain = chooseContent({}, { row: messageRow(), send, test: test(), locale: null });
    expect(plain).toMatchObject({ content, variant: null, abTest: null });
  });

  it('is chosen in the language of the reader after the variant', () => {
    const localise = (said: Readonly<Record<string, unknown>>, locale: string | null): Localised<object> =>
      locale === 'es' ? { content: { said: said['localized'] }, tag: 'es' } : { unsupported: true };
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

  it('of a copy is that of the mail', () => {
    const own = { ...content, addressed: { to: { email: 'bob' } } };
    for (const role of ['cc', 'bcc'] as const)
      expect(choose({ role, address: 'ann@example.com' }, test(), { own })).toMatchObject({ variant: 'b' });
    expect(choose({ role: 'cc', address: 'bob' }, test())).toMatchObject({ variant: null });
  });
});

describe('whom a test tells apart', () => {
  it('are users, else devices, else addresses', () => {
    const subject = (row: Parameters<typeof messageRow>[0]) => subjectOf(messageRow(row), null);
    expect(subject({ person: 'u:ann', tokenId: 't1' })).toBe('ann');
    expect(subject({ tokenId: 't1', address: 'fcm:1' })).toBe('t1');
    expect(subject({ address: 'ann@example.com' })).toBe('ann@example.com');
    expect(subject({ address: null })).toBeNull();
  });

  it('are counted as three kinds, by keys that any index takes', () => {
    expect(unitOf(messageRow({ person: 'u:ann', tokenId: 't1' }))).toBe('u:ann');
    expect(unitOf(messageRow({ tokenId: 't1' }))).toBe('t:t1');
    const long = unitOf(messageRow({ address: 'x'.repeat(10_000) }));
    expect(long).toMatch(/^d:[0-9a-f]{64}$/);
    expect(unitOf(messageRow({ address: 'y' }))).not.toBe(long);
  });
});
