import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redirectUriOf, registeredRedirectOf, withRedirectParams } from './redirect-uris.ts';

const REGISTERED = [
  'https://a.com/cb',
  'https://a.com/with?next=%2Fhome',
  'https://a.com:8443/cb',
  'http://localhost:3000/cb',
  'http://127.0.0.1/cb',
  'http://[::1]:9000/cb',
  'com.example.app:/signed-in',
  'myapp://auth/done',
].map((text) => redirectUriOf(text) ?? '');
const targetOf = (input: unknown) => registeredRedirectOf(input, REGISTERED);

describe('redirect targets', () => {
  it.each(REGISTERED)('the registered target %s is accepted', (target) => {
    expect(targetOf(target)).toBe(target);
  });

  it.each([
    ['no scheme', '//evil'],
    ['a protocol-relative host', '//evil.example/cb'],
    ['user information before the host', 'https://a.com@evil'],
    ['user information with a password', 'https://a.com:443@evil.example/cb'],
    ['user information before the registered host', 'https://user@a.com/cb'],
    ['empty user information', 'https://@a.com/cb'],
    ['user information of an app', 'myapp://user@auth/done'],
    ['backslashes', '\\\\evil'],
    ['a backslash before the host', 'https:\\\\a.com/cb'],
    ['a backslash in the path', 'https://a.com\\cb'],
    ['a backslash that ends the host', 'https://evil.example\\@a.com/cb'],
    ['a script', 'javascript:alert(1)//https://a.com/cb'],
    ['a script in capitals', 'JavaScript:alert(1)'],
    ['data', 'data:text/html,x'],
    ['a file', 'file:///etc/passwd'],
    ['a blob', 'blob:https://a.com/1'],
    ['VBScript', 'vbscript:x'],
    ['about', 'about:blank'],
    ['a longer host', 'https://a.com.evil/cb'],
    ['a host with a prefix', 'https://evila.com/cb'],
    ['a subdomain', 'https://sub.a.com/cb'],
    ['a host with a trailing dot', 'https://a.com./cb'],
    ['a line break at the end', 'https://a.com/cb\r\n'],
    ['a header in the path', 'https://a.com/cb\r\nSet-Cookie: a=1'],
    ['a tab in the host', 'https://a.\tcom/cb'],
    ['a blank before it', ' https://a.com/cb'],
    ['a NUL', 'https://a.com/cb\0'],
    ['a zero-width space', 'https://a.com/c\u200bb'],
    ['a fragment', 'https://a.com/cb#x'],
    ['an empty fragment', 'https://a.com/cb#'],
    ['another path', 'https://a.com/cb/more'],
    ['a trailing slash', 'https://a.com/cb/'],
    ['no path', 'https://a.com'],
    ['a path in other case', 'https://a.com/CB'],
    ['a path that leaves', 'https://a.com/cb/../evil'],
    ['an encoded path that leaves', 'https://a.com/cb/%2e%2e/evil'],
    ['a query', 'https://a.com/cb?x=1'],
    ['an empty query', 'https://a.com/cb?'],
    ['a query besides the registered one', 'https://a.com/with?next=%2Fhome&x=1'],
    ['the registered query left out', 'https://a.com/with'],
    ['the registered query in another spelling', 'https://a.com/with?next=/home'],
    ['plain http', 'http://a.com/cb'],
    ['another port', 'https://a.com:444/cb'],
    ['a port on the registered one', 'https://a.com:84430/cb'],
    ['one slash', 'https:/a.com/cb'],
    ['no slash', 'https:a.com/cb'],
    ['three slashes', 'https:///a.com/cb'],
    ['another path on this machine', 'http://localhost:3000/evil'],
    ['https on this machine', 'https://localhost:3000/cb'],
    ['a host that begins like this machine', 'http://localhost.evil.example/cb'],
    ['another address of this machine', 'http://127.0.0.2/cb'],
    ['an unspecified address', 'http://0.0.0.0/cb'],
    ['an app that is not registered', 'otherapp://auth/done'],
    ['another path of an app', 'myapp://auth/other'],
    ['another host of an app', 'myapp://evil/done'],
    ['an app with a longer name', 'com.example.app2:/signed-in'],
    ['an empty text', ''],
    ['a relative path', '/cb'],
    ['no text', undefined],
    ['null', null],
    ['a list', ['https://a.com/cb']],
    ['more than 2,048 characters', `https://a.com/cb?${'x'.repeat(2_048)}`],
  ])('O5: a target with %s is refused', (_, target) => {
    expect(targetOf(target)).toBeNull();
  });

  it('another spelling of a registered target is accepted, and the serialised one is returned', () => {
    for (const target of ['HTTPS://A.com/cb', 'https://a.com:443/cb', 'https://a.com/x/../cb'])
      expect(targetOf(target)).toBe('https://a.com/cb');
  });

  it('http on this machine is accepted with any port', () => {
    for (const target of [
      'http://localhost/cb',
      'http://localhost:51234/cb',
      'http://127.0.0.1:8080/cb',
      'http://[::1]/cb',
      'http://[::1]:1/cb',
    ])
      expect(targetOf(target)).toBe(target);
    expect(registeredRedirectOf('http://localhost:1/cb', ['http://127.0.0.1/cb'])).toBeNull();
    expect(registeredRedirectOf('https://localhost:1/cb', ['https://localhost:2/cb'])).toBeNull();
  });

  it('a stored target that would not be registered today matches nothing', () => {
    for (const stored of ['javascript:alert(1)', 'http://a.com/cb', 'https://a.com/cb#x', 'https://u@a.com/cb'])
      expect(registeredRedirectOf(stored, [stored])).toBeNull();
  });

  it('only https, http on this machine and schemes of apps may be registered', () => {
    expect(redirectUriOf('https://B\u00fccher.example/%7Ea')).toBe('https://xn--bcher-kva.example/%7Ea');
    for (const text of [
      'http://example.com/',
      'ws://a.com/',
      'ftp://a.com/',
      'view-source:https://a.com',
      'https://',
      'x',
      'filesystem:https://a.com/1',
    ])
      expect(redirectUriOf(text)).toBeNull();
    const ofLength = (length: number) => `https://a.com/${'x'.repeat(length - 14)}`;
    expect(redirectUriOf(ofLength(2_048))).toBe(ofLength(2_048));
    expect(redirectUriOf(ofLength(2_049))).toBeNull();
    expect(redirectUriOf(`https://a.com/${'\u00e9'.repeat(1_000)}`)).toBeNull();
  });

  it('a registered target is its own serialised form', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, validSchemes: ['https'] }), (text) => {
        const uri = redirectUriOf(text);
        if (uri === null) return;
        expect(redirectUriOf(uri)).toBe(uri);
        expect(registeredRedirectOf(text, [uri])).toBe(uri);
      }),
    );
  });

  it('any text is refused or equals the registered target', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        const target = targetOf(`${before}https://a.com/cb${after}`);
        if (target !== null) expect(REGISTERED).toContain(target);
      }),
    );
  });
});

describe('withRedirectParams', () => {
  it('parameters follow the registered query and never change it', () => {
    const params = { code: 'oc_a&b', c: 'E9Melhoa' };
    expect(withRedirectParams('https://a.com/cb', params)).toBe('https://a.com/cb?code=oc_a%26b&c=E9Melhoa');
    expect(withRedirectParams('https://a.com/with?next=%2Fa%20b', params)).toBe(
      'https://a.com/with?next=%2Fa%20b&code=oc_a%26b&c=E9Melhoa',
    );
    expect(withRedirectParams('com.example.app:/x', params)).toBe('com.example.app:/x?code=oc_a%26b&c=E9Melhoa');
    expect(withRedirectParams('https://a.com/cb?', { c: '1' })).toBe('https://a.com/cb?c=1');
    expect(withRedirectParams('https://a.com/cb', {})).toBe('https://a.com/cb');
  });
});
