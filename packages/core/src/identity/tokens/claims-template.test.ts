import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { utf8Bytes } from '../../foundation/json.ts';
import { STANDARD_CLAIMS } from './claims.ts';
import { type ClaimSources, type ClaimsTemplate, parseClaimsTemplate, renderClaims } from './claims-template.ts';

const sources: ClaimSources = {
  user: {
    id: 'account-1',
    userId: 'ada',
    email: 'ada@example.com',
    emailVerified: true,
    metadata: { plan: { tier: 3 } },
  },
  trait: { plan: 'pro', age: 36, tags: ['a', 'b'], nothing: null, address: { city: 'Paris' }, 'a.b': 'flat' },
  orgId: 'org-1',
  sessionId: 'session-1',
  groups: ['Admins', 'Staff'],
};
const rendered = (template: ClaimsTemplate, from: ClaimSources | null = sources) =>
  renderClaims(parseClaimsTemplate(template), from);
const claimsOf = (template: ClaimsTemplate, from: ClaimSources = sources) => {
  const result = rendered(template, from);
  return result.outcome === 'rendered' ? result.claims : result.reason;
};
const parsing = (input: unknown) => () => parseClaimsTemplate(input);
const invalid = (field: string, reason?: string) =>
  expect.objectContaining({
    code: 'VALIDATION_ERROR',
    details: expect.objectContaining({ fieldErrors: { [field]: [expect.any(String)] }, ...(reason && { reason }) }),
  });

describe('parseClaimsTemplate', () => {
  it.each([...STANDARD_CLAIMS, 'nbf', 'typ', 'scope', 'client_id'])('K7: the reserved claim %s is rejected', (name) => {
    expect(parsing({ [name]: 'x' })).toThrow(invalid(`template.${name}`, 'reserved_claim'));
    expect(parsing({ nested: { [name]: 'x' } })).not.toThrow();
  });

  it('K7: the names __proto__, constructor and prototype are rejected on every level', () => {
    for (const name of ['__proto__', 'constructor', 'prototype']) {
      expect(parsing(JSON.parse(`{"${name}":{"a":1}}`))).toThrow(invalid(`template.${name}`));
      expect(parsing(JSON.parse(`{"a":{"${name}":1}}`))).toThrow(invalid(`template.a.${name}`));
      expect(parsing(JSON.parse(`{"a":[{"${name}":1}]}`))).toThrow(invalid(`template.a.0.${name}`));
    }
    expect(parsing({ __proto__: { inherited: 1 } })).toThrow(invalid('template'));
  });

  it('K7: a template may have 8,192 bytes; 8,193 are rejected', () => {
    const ofBytes = (bytes: number) => ({ a: 'x'.repeat(bytes - utf8Bytes({ a: '' })) });
    expect(parsing(ofBytes(8_192))).not.toThrow();
    expect(parsing(ofBytes(8_193))).toThrow(invalid('template'));
    expect(parsing({ a: '\u65e5'.repeat(2_729) })).toThrow(invalid('template'));
  });

  it('K7: a template may have 3 levels and 32 claims; more are rejected', () => {
    expect(parsing({ a: { b: { c: 1 } } })).not.toThrow();
    expect(parsing({ a: { b: [1] } })).not.toThrow();
    expect(parsing({ a: { b: { c: {} } } })).toThrow(invalid('template'));
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`c${at}`, at]));
    expect(parsing(many(32))).not.toThrow();
    expect(parsing(many(33))).toThrow(invalid('template'));
  });

  it('K7: values that are no JSON object are rejected', () => {
    for (const input of [
      null,
      undefined,
      [],
      'text',
      7,
      new Date(0),
      { a: undefined },
      { a: Number.NaN },
      { a: () => 1 },
    ])
      expect(parsing(input)).toThrow(invalid('template'));
  });

  it('K7: a placeholder with an unknown path is rejected', () => {
    for (const path of [
      'env.KEY',
      'user',
      'trait',
      'user.',
      'trait..a',
      'org.name',
      'session',
      'scim.users',
      'secret.x',
      ' ',
      'a b',
    ])
      expect(parsing({ a: `x {{${path}}}` })).toThrow(invalid('template.a'));
    const fault = { 'template.a': [expect.stringMatching(/^has the unknown placeholder \{\{x{98}: use user/)] };
    expect(parsing({ a: `{{${'x'.repeat(200)}}}` })).toThrow(
      expect.objectContaining({ details: { fieldErrors: fault } }),
    );
    for (const path of ['user.id', ' trait.a.b ', 'org.id', 'session.id', 'scim.groups', 'trait.constructor'])
      expect(parsing({ a: `x {{${path}}}` })).not.toThrow();
  });
});

describe('renderClaims', () => {
  it('a text that is one placeholder takes the value with its type', () => {
    const template = {
      plan: '{{trait.plan}}',
      age: '{{ trait.age }}',
      tags: '{{trait.tags}}',
      city: '{{trait.address.city}}',
      tier: '{{user.metadata.plan.tier}}',
      isVerified: '{{user.emailVerified}}',
      org: '{{org.id}}',
      session: '{{session.id}}',
      groups: '{{scim.groups}}',
      first: '{{trait.tags.0}}',
      flat: '{{trait.a.b}}',
    };
    expect(claimsOf(template)).toEqual({
      plan: 'pro',
      age: 36,
      tags: ['a', 'b'],
      city: 'Paris',
      tier: 3,
      isVerified: true,
      org: 'org-1',
      session: 'session-1',
      groups: ['Admins', 'Staff'],
      first: 'a',
      flat: 'flat',
    });
  });

  it('placeholders within a text become text, also in lists and objects', () => {
    const template = {
      'https://a.example/x': { roles: ['{{trait.plan}}-user', 'age {{trait.age}}, {{trait.tags}}'] },
      n: 1,
      no: null,
    };
    expect(claimsOf(template)).toEqual({
      'https://a.example/x': { roles: ['pro-user', 'age 36, ["a","b"]'] },
      n: 1,
      no: null,
    });
  });

  it('a path without a value renders as an empty text', () => {
    const template = {
      a: '{{trait.missing}}',
      b: '[{{user.x.y}}]',
      c: '{{trait.nothing}}',
      d: '{{trait.plan.length}}',
    };
    expect(claimsOf(template)).toEqual({ a: '', b: '[]', c: '', d: '' });
  });

  it('K7: only own members are read', () => {
    const paths = [
      'trait.constructor',
      'trait.__proto__',
      'user.toString',
      'trait.tags.length',
      'trait.address.constructor.name',
    ];
    for (const path of paths) expect(claimsOf({ a: `{{${path}}}` })).toEqual({ a: '' });
    Object.defineProperty(Object.prototype, 'leak', { value: 'x', configurable: true });
    try {
      expect(claimsOf({ a: '{{trait.leak}}', b: '{{user.leak}}' })).toEqual({ a: '', b: '' });
    } finally {
      Reflect.deleteProperty(Object.prototype, 'leak');
    }
  });

  it('a value is never searched for placeholders', () => {
    const trait = { a: '{{user.email}}', b: '$&{{', c: 'user.email}}' };
    expect(
      claimsOf({ a: '{{trait.a}}', b: 'x {{trait.a}}', c: 'x{{trait.b}}{{trait.c}}' }, { ...sources, trait }),
    ).toEqual({
      a: '{{user.email}}',
      b: 'x {{user.email}}',
      c: 'x$&{{user.email}}',
    });
  });

  it('at most 50 group names are rendered', () => {
    const groups = Array.from({ length: 51 }, (_, at) => `g${at}`);
    expect(claimsOf({ groups: '{{scim.groups}}' }, { ...sources, groups })).toEqual({ groups: groups.slice(0, 50) });
  });

  it('K7: claims of 4,096 bytes are rendered; larger ones are skipped', () => {
    const withText = (bytes: number) => ({ ...sources, trait: { text: 'x'.repeat(bytes - utf8Bytes({ a: '' })) } });
    expect(rendered({ a: '{{trait.text}}' }, withText(4_096)).outcome).toBe('rendered');
    expect(rendered({ a: '{{trait.text}}' }, withText(4_097))).toEqual({ outcome: 'skipped', reason: 'too_large' });
    const accents = { ...sources, trait: { text: '\u00e9'.repeat(2_045) } };
    expect(rendered({ a: '{{trait.text}}' }, accents)).toEqual({ outcome: 'skipped', reason: 'too_large' });
    expect(rendered({ a: 'x'.repeat(5_000) })).toEqual({ outcome: 'skipped', reason: 'too_large' });
  });

  it('K7: rendering stops once the claims are too large', () => {
    let reads = 0;
    const trait = Object.defineProperty({}, 'text', {
      enumerable: true,
      get: () => {
        reads += 1;
        return 'x'.repeat(3_000);
      },
    });
    expect(rendered({ a: '{{trait.text}}'.repeat(500) }, { ...sources, trait }).outcome).toBe('skipped');
    expect(reads).toBe(2);
  });

  it('K7: claims are skipped if the profile cannot be read', () => {
    expect(rendered({ a: 1 }, null)).toEqual({ outcome: 'skipped', reason: 'profile_unreadable' });
  });

  it('K7: a stored template that is older than a reserved name renders without it', () => {
    const stored = JSON.parse('{"sub":"x","scope":"y","a":1,"__proto__":{"b":1},"c":{"__proto__":{"d":1},"e":1}}');
    expect(renderClaims(stored, sources)).toEqual({ outcome: 'rendered', claims: { a: 1, c: { e: 1 } } });
  });

  it('any valid template renders within the limit or is skipped, without an exception', () => {
    const value = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.constantFrom('{{trait.v}}', '{{user.v}} and {{trait.v.w}}', '{{scim.groups}}', '{{{{trait.v}}}}', null, true),
    );
    const template = fc.dictionary(fc.stringMatching(/^x[a-z]{0,5}$/), fc.oneof(value, fc.array(value)), {
      maxKeys: 8,
    });
    fc.assert(
      fc.property(template, fc.jsonValue(), (input, v) => {
        let parsed: ClaimsTemplate;
        try {
          parsed = parseClaimsTemplate(input);
        } catch {
          return;
        }
        // Safe: sources hold JSON of any form.
        const result = renderClaims(parsed, { ...sources, user: { v }, trait: { v } });
        if (result.outcome === 'rendered') expect(utf8Bytes(result.claims)).toBeLessThanOrEqual(4_096);
        else expect(result.reason).toBe('too_large');
      }),
    );
  });
});
