import { describe, expect, it } from 'vitest';
import { hostMatches, type UrlRules, urlProblem } from './urls.ts';

const problem = (url: string, rules?: UrlRules): string | null => urlProblem(new URL(url), rules);

describe('urlProblem', () => {
  it.each([
    'http://x.test/',
    'https://x.test/a?b#c',
    'https://x.test:80/',
    'http://x.test:1024/',
    'https://x.test:65535/',
  ])('urlProblem accepts %s', (url) => {
    expect(problem(url)).toBeNull();
  });

  it.each([
    'ftp://x.test/',
    'file:///etc/hosts',
    'javascript:alert(1)',
    'unix:/run/x.sock',
    'https://ann@x.test/',
    'https://:secret@x.test/',
    'http://x.test:22/',
    'http://x.test:1023/',
    'https://x.test:25/',
  ])('urlProblem rejects %s without repeating it', (url) => {
    const found = problem(url);
    expect(found).toEqual(expect.any(String));
    expect(found).not.toContain('x.test');
    expect(found).not.toContain('secret');
  });

  it('urlProblem rejects http if https is required', () => {
    expect(problem('http://x.test/', { httpsOnly: true })).not.toBeNull();
    expect(problem('https://x.test/', { httpsOnly: true })).toBeNull();
  });

  it('urlProblem accepts exactly the listed ports and hosts', () => {
    const rules = { allowedPorts: [25, 443], allowedHosts: ['x.test'] };
    expect(problem('https://x.test/', rules)).toBeNull();
    expect(problem('https://x.test:25/', rules)).toBeNull();
    expect(problem('https://x.test:8443/', rules)).not.toBeNull();
    expect(problem('https://y.test/', rules)).not.toBeNull();
  });
});

describe('hostMatches', () => {
  const allowed = ['fcm.example.test', '*.push.example.test'];

  it.each([
    'fcm.example.test',
    'FCM.Example.Test',
    'fcm.example.test.',
    'a.push.example.test',
    'a.b.push.example.test',
  ])('hostMatches accepts %s', (host) => {
    expect(hostMatches(host, allowed)).toBe(true);
  });

  it.each([
    'example.test',
    'xfcm.example.test',
    'fcm.example.test.evil.test',
    'push.example.test',
    '.push.example.test',
    'evilpush.example.test',
  ])('hostMatches rejects %s', (host) => {
    expect(hostMatches(host, allowed)).toBe(false);
  });
});
