import { describe, expect, it } from 'vitest';
import { adviceFor, dmarcAdvice, spfAdvice } from './advice.ts';
import type { LookUpTxt, TxtAnswer } from './look-up.ts';
import { dkimCheck, ownershipCheck, recordsOf } from './records.ts';
import { parseEmailDomain } from './schema.ts';
import { coveringDomain, mayBeFrom, type SenderDomains } from './sender-domains.ts';

const ROW = { domain: 'shop.test', nonce: 'n1', dkimSelector: 'beckon-1', dkimPublicKey: 'AAA/b+c=' };
const found = (...records: string[]): TxtAnswer => ({ kind: 'records', records });
const absent: TxtAnswer = { kind: 'absent' };
const unknown: TxtAnswer = { kind: 'unknown' };

describe('records of a sending domain', () => {
  it('a domain has an ownership record, and a key record if it has a key', () => {
    expect(recordsOf(ROW)).toEqual([
      { type: 'TXT', name: '_beckon.shop.test', value: 'beckon-verify=n1', purpose: 'ownership' },
      {
        type: 'TXT',
        name: 'beckon-1._domainkey.shop.test',
        value: 'v=DKIM1; k=rsa; p=AAA/b+c=',
        purpose: 'dkim',
      },
    ]);
    expect(recordsOf({ ...ROW, dkimSelector: null, dkimPublicKey: null })).toHaveLength(1);
  });

  it.each([
    [found('beckon-verify=n1'), 'found'],
    [found('other', ' beckon-verify=n1 '), 'found'],
    [found('beckon-verify=n2'), 'wrong'],
    [found('beckon-verify=n11'), 'wrong'],
    [absent, 'missing'],
    [unknown, 'unknown'],
  ] as const)('ownership is checked by value only: %j is %s', (answer, state) => {
    expect(ownershipCheck(ROW, answer)).toMatchObject({ name: 'ownership', state });
  });

  it.each([
    [found('v=DKIM1; k=rsa; p=AAA/b+c='), 'found'],
    [found('v=DKIM1;p=AAA/ b+ c=;'), 'found'],
    [found('v=DKIM1; p=AAA'), 'wrong'],
    [found('v=DKIM1; p='), 'wrong'],
    [absent, 'missing'],
    [unknown, 'unknown'],
  ] as const)('the key record is accepted in any valid notation: %j is %s', (answer, state) => {
    expect(dkimCheck(ROW, answer)).toMatchObject({ name: 'dkim', state });
    expect(dkimCheck({ ...ROW, dkimSelector: null }, answer)).toBeNull();
  });
});

describe('advice about a sending domain', () => {
  it.each([
    [found('v=spf1 include:_spf.example.com ~all'), 'found'],
    [found('google-site-verification=x', 'v=spf1 -all'), 'found'],
    [found('v=spf1 +all'), 'wrong'],
    [found('v=spf1 all'), 'wrong'],
    [found('v=spf1 -all', 'v=spf1 ~all'), 'wrong'],
    [found('v=spf10 -all'), 'missing'],
    [absent, 'missing'],
    [unknown, 'unknown'],
  ] as const)('SPF advice: %j is %s', (answer, state) => {
    expect(spfAdvice(answer)).toMatchObject({ name: 'spf', state });
  });

  it.each([
    [found('v=DMARC1; p=reject; rua=mailto:a@shop.test'), 'found'],
    [found('v=DMARC1;p=none'), 'found'],
    [found('v=DMARC1; rua=mailto:a@shop.test'), 'wrong'],
    [found('v=DMARC1; p=none', 'v=DMARC1; p=reject'), 'wrong'],
    [found('nothing of the kind'), 'missing'],
    [absent, 'missing'],
    [unknown, 'unknown'],
  ] as const)('DMARC advice: %j is %s', (answer, state) => {
    expect(dmarcAdvice(answer)).toMatchObject({ name: 'dmarc', state });
  });

  it('DMARC advice uses the policy of the nearest parent', async () => {
    const queries: string[] = [];
    const lookUp: LookUpTxt = async (name) => {
      queries.push(name);
      return name === '_dmarc.shop.test' ? found('v=DMARC1; p=reject') : absent;
    };
    expect((await adviceFor(lookUp, 'news.mail.shop.test')).at(1)).toMatchObject({ name: 'dmarc', state: 'found' });
    expect(queries).not.toContain('_dmarc.test');
  });
});

describe('allowed senders', () => {
  const domain = (name: string, isVerified = true) => ({ id: name, domain: name, isVerified, dkim: null });
  const known: SenderDomains = {
    isRequired: true,
    domains: [domain('shop.test'), domain('news.shop.test'), domain('late.test', false)],
  };

  it('addresses of a verified domain and its subdomains may send, in any case', () => {
    for (const address of ['a@shop.test', 'a@SHOP.test', 'a@x.y.shop.test'])
      expect(mayBeFrom(known, address)).toBe(true);
    for (const address of ['a@late.test', 'a@myshop.test', 'a@shop.test.evil.test', 'a@test'])
      expect(mayBeFrom(known, address)).toBe(false);
  });

  it('without required domains any sender is allowed', () => {
    expect(mayBeFrom({ isRequired: false, domains: [] }, 'a@late.test')).toBe(true);
  });

  it('the most specific of several domains applies', () => {
    expect(coveringDomain(known, 'a@x.news.shop.test')?.domain).toBe('news.shop.test');
    expect(coveringDomain(known, 'a@elsewhere.test')).toBeNull();
  });
});

describe('names of sending domains', () => {
  it('a domain name is stored in lower case as punycode; an invalid one is rejected', () => {
    expect(parseEmailDomain({ domain: 'Bücher.TEST.' })).toEqual({ domain: 'xn--bcher-kva.test', dkim: false });
    for (const domain of ['localhost', 'a b.test', 'x@shop.test', '127.0.0.1', 'shop..test', '']) {
      expect(() => parseEmailDomain({ domain })).toThrow(/./);
    }
  });
});
