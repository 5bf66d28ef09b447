import { describe, expect, it } from 'vitest';
import { compareVersions, lastBefore } from './old-program.ts';

describe('the last release', () => {
  it('versions are compared by number, with or without the letter of a tag', () => {
    expect(['0.10.0', 'v0.9.1', '1.0.0', 'v0.9.0'].toSorted(compareVersions)).toEqual([
      ...['v0.9.0', 'v0.9.1', '0.10.0', '1.0.0'],
    ]);
  });

  it('the last release is the latest before this one, and no pre-release', () => {
    expect(lastBefore('0.10.0', ['v0.9.0', 'v0.10.0', 'v0.9.2', 'v0.10.1', 'v0.9.3-beta.1', 'other'])).toBe('v0.9.2');
    expect(lastBefore('0.1.0', ['0.1.0', ''])).toBeUndefined();
  });
});
