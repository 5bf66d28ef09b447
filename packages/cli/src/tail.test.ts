import { describe, expect, it } from 'vitest';
import { globOf } from './tail.ts';

describe('globOf', () => {
  it.each([
    ['user.*', 'user.signed_up', true],
    ['user.*', 'user.', true],
    ['user.*', 'auser.x', false],
    ['*', '', true],
    ['*.sent', 'push.sent', true],
    ['*.sent', 'push.sent.x', false],
    ['p*h.*nt', 'push.sent', true],
    ['a*a', 'a', false],
    ['a*b*c', 'abc', true],
    ['a*bb*bc', 'abbc', false],
    ['push.sent', 'push.sent', true],
    ['push.sent', 'push.sent2', false],
    ['a.c', 'abc', false],
  ])('the glob %s matches %s: %s', (glob, name, isMatch) => expect(globOf(glob)(name)).toBe(isMatch));
});
