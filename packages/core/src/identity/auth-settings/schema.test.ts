import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type AuthSettingsChange, authSettingsChange, authSettingsOf, changeAuthSettings } from './schema.ts';

const DEFAULTS = {
  signup: { mode: 'open', autoSignIn: false, requireVerifiedEmail: true, unverifiedDays: 30 },
  password: { minLength: 8 },
  token: { accessTtlSeconds: 900, alg: 'ES256' },
  session: { idleDays: 30, absoluteDays: 90, maxPerUser: 100 },
  redirectUris: [],
  anonymous: { enabled: false, keepDays: 90 },
  mfa: { mode: 'optional' },
  linking: { autoLinkProviders: [] },
  passkey: { rpId: null, rpName: null, origins: [], allowCrossOrigin: false },
  mail: {
    templates: {},
    notices: ['email_changed_notice', 'mfa_wrong_code', 'password_changed', 'mfa_removed', 'passkey_added'],
    perHour: 3_000,
  },
  captcha: { type: 'none', siteKey: null },
  profileTraits: { name: null },
};
const TEMPLATE = '019aced0-0000-7000-8000-000000000001';

const isAccepted = (body: unknown) => authSettingsChange.safeParse(body).success;
const parsed = (body: unknown): AuthSettingsChange => authSettingsChange.parse(body);
const changed = (stored: unknown, body: unknown) => changeAuthSettings(stored, parsed(body));
const withValue = (group: string, name: string, value: unknown) => ({ [group]: { [name]: value } });

describe('sign-in settings', () => {
  it('settings that nobody changed have the documented defaults', () => {
    for (const stored of [null, undefined, {}, [], 'text']) expect(authSettingsOf(stored)).toEqual(DEFAULTS);
  });

  it.each<[string, string, readonly unknown[], readonly unknown[]]>([
    ['signup', 'mode', ['open', 'disabled'], ['closed', null]],
    ['signup', 'unverifiedDays', [1, 365], [0, 366, 1.5, '30']],
    ['password', 'minLength', [8, 64], [7, 65]],
    ['token', 'accessTtlSeconds', [300, 3_600], [299, 3_601]],
    ['token', 'alg', ['ES256', 'EdDSA', 'RS256'], ['HS256', 'none']],
    ['session', 'idleDays', [1, 90], [0, 91]],
    ['session', 'absoluteDays', [30, 365], [29, 366]],
    ['session', 'maxPerUser', [1, 1_000], [0, 1_001]],
    ['anonymous', 'keepDays', [1, 365], [0, 366]],
    ['mfa', 'mode', ['off', 'optional', 'required'], ['on']],
    ['linking', 'autoLinkProviders', [[], ['google', 'apple']], [['google', 'google'], ['myspace']]],
    ['passkey', 'rpId', ['example.com', 'localhost', null], ['https://example.com', 'example.com:443', 'a b', '']],
    ['passkey', 'rpName', ['S', 'x'.repeat(100), null], ['', 'x'.repeat(101)]],
    [
      'passkey',
      'origins',
      [['https://a.com', 'https://b.com:8443', 'http://localhost:3000'], [`android:apk-key-hash:${'a'.repeat(43)}`]],
      [
        ['http://a.com'],
        ['https://a.com/path'],
        ['https://a.com?x'],
        ['myapp://auth'],
        ['https://a.com', 'https://a.com/'],
        Array(6)
          .fill(0)
          .map((_, at) => `https://a${at}.com`),
      ],
    ],
    ['mail', 'templates', [{}, { reset: TEMPLATE }], [{ reset: 'x' }, { other: TEMPLATE }, { reset: null }]],
    ['mail', 'notices', [[], ['mfa_wrong_code']], [['reset'], ['mfa_removed', 'mfa_removed']]],
    ['mail', 'perHour', [1, 100_000], [0, 100_001]],
    ['profileTraits', 'name', ['n', 'x'.repeat(100), null], ['', 'x'.repeat(101)]],
  ])('the value %s.%s is limited to its range', (group, name, accepted, rejected) => {
    for (const value of accepted) expect(isAccepted(withValue(group, name, value)), JSON.stringify(value)).toBe(true);
    for (const value of rejected) expect(isAccepted(withValue(group, name, value)), JSON.stringify(value)).toBe(false);
  });

  it('unknown groups and members are rejected', () => {
    for (const body of [{ other: 1 }, withValue('signup', 'other', 1), null, []]) expect(isAccepted(body)).toBe(false);
  });

  it('50 redirect URIs are accepted and stored in their serialised form; 51, and repeated ones, are rejected', () => {
    const uris = (count: number) => Array.from({ length: count }, (_, at) => `HTTPS://A.com:443/${at}`);
    expect(parsed({ redirectUris: uris(50) }).redirectUris?.[49]).toBe('https://a.com/49');
    for (const list of [
      uris(51),
      ['https://a.com/x', 'https://A.com/x'],
      ['https://a.com/#x'],
      ['javascript:x'],
      ['http://a.com/'],
    ])
      expect(isAccepted({ redirectUris: list })).toBe(false);
  });

  it('a change keeps the groups that it leaves out', () => {
    const stored = changed({ mfa: { mode: 'required' } }, { password: { minLength: 12 } });
    expect(authSettingsOf(stored)).toEqual({ ...DEFAULTS, mfa: { mode: 'required' }, password: { minLength: 12 } });
    expect(changed(stored, {})).toEqual(stored);
  });

  it('a change replaces a whole group, and null restores its defaults', () => {
    const first = changed(null, { token: { accessTtlSeconds: 300, alg: 'EdDSA' } });
    const second = changed(first, { token: { alg: 'RS256' } });
    expect(authSettingsOf(second).token).toEqual({ accessTtlSeconds: 900, alg: 'RS256' });
    expect(changed(second, { token: null })).toEqual({});
    expect(authSettingsOf(first).token).toEqual({ accessTtlSeconds: 300, alg: 'EdDSA' });
  });

  it('a stored group that the schema no longer accepts counts as not set', () => {
    const stored = {
      password: { minLength: 4 },
      mfa: { mode: 'required' },
      redirectUris: ['javascript:x'],
    };
    expect(authSettingsOf(stored)).toEqual({ ...DEFAULTS, mfa: { mode: 'required' } });
  });

  it('what is read after a change is stored and read again unchanged', () => {
    const body = fc.record(
      {
        signup: fc.option(
          fc.record(
            { autoSignIn: fc.boolean(), unverifiedDays: fc.integer({ min: 1, max: 365 }) },
            { requiredKeys: [] },
          ),
        ),
        session: fc.option(fc.record({ idleDays: fc.integer({ min: 1, max: 90 }) }, { requiredKeys: [] })),
        redirectUris: fc.option(fc.uniqueArray(fc.constantFrom('https://a.com/', 'myapp://x', 'http://localhost:1/'))),
        passkey: fc.option(fc.record({ rpId: fc.constantFrom(null, 'A.example') }, { requiredKeys: [] })),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(body, { maxLength: 5 }), (bodies) => {
        let stored: unknown = null;
        for (const change of bodies) stored = changed(stored, change);
        const settings = authSettingsOf(JSON.parse(JSON.stringify(stored)));
        expect(authSettingsOf(settings)).toEqual(settings);
        expect(authSettingsOf(changed(settings, {}))).toEqual(settings);
      }),
    );
  });

  it('every setting has a description', () => {
    const missing: string[] = [];
    const visit = (schema: z.core.JSONSchema.BaseSchema, path: string) => {
      for (const branch of schema.anyOf ?? []) if (typeof branch === 'object') visit(branch, path);
      for (const [name, member] of Object.entries(schema.properties ?? {})) {
        if (typeof member !== 'object') continue;
        if (!member.description) missing.push(`${path}.${name}`);
        visit(member, `${path}.${name}`);
      }
    };
    visit(z.toJSONSchema(authSettingsChange, { io: 'input', unrepresentable: 'any' }), '');
    expect(missing).toEqual([]);
  });
});
