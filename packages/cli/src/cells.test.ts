import { describe, expect, it } from 'vitest';
import { collapsedScopes, relativeTime, shortId } from './cells.ts';

const NOW = new Date('2026-11-20T08:00:00.000Z');
const at = (seconds: number): Date => new Date(NOW.getTime() + seconds * 1_000);

describe('relativeTime', () => {
  it.each([
    [0, 'now'],
    [-0.9, 'now'],
    [-1, '1 s ago'],
    [-59, '59 s ago'],
    [-60, '1 min ago'],
    [-3_599, '59 min ago'],
    [-7_200, '2 h ago'],
    [-86_400 * 40, '40 d ago'],
    [90, 'in 1 min'],
  ])('the relative time of %d seconds is %s', (seconds, text) => expect(relativeTime(at(seconds), NOW)).toBe(text));

  it('relativeTime of null is null', () => expect(relativeTime(null, NOW)).toBeNull());
});

describe('shortId', () => {
  it('a short id is the random end of the id', () =>
    expect(shortId('019ca8d7-2d00-71a3-96d3-60778636133f')).toBe('8636133f'));
});

describe('collapsedScopes', () => {
  const ALL = ['events.write', 'push:read', 'push:write', 'email:read', 'email:send'];
  it.each([
    [ALL, 'all'],
    [['events.write', 'push:read', 'push:write'], 'events.write push:*'],
    [['email:send', 'events.write'], 'email:send events.write'],
    [[], ''],
  ])('the scopes %j are shown as %s', (scopes, text) => expect(collapsedScopes(scopes, ALL)).toBe(text));
});
