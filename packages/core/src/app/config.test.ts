import { describe, expect, it } from 'vitest';
import { parseOptions } from './config.ts';

const NEEDED = { db: 'sqlite::memory:', masterKey: 'k' };

describe('options of createBeckon', () => {
  it.each([
    ['dbb', 'dbb is not an option (did you mean db?)'],
    ['pollMS', 'pollMS is not an option (did you mean pollMs?)'],
    ['publicURI', 'publicURI is not an option (did you mean publicUrl?)'],
    ['master_key', 'master_key is not an option (did you mean masterKey?)'],
    ['shutdownTimeout', 'shutdownTimeout is not an option'],
  ])('a misspelt %s names the nearest known option, if one is near', (key, message) => {
    expect(() => parseOptions({ ...NEEDED, [key]: 1 })).toThrow(new TypeError(`createBeckon: ${message}`));
  });

  it('the options org and project must come together, each by its name or its id', () => {
    const both = { org: { name: 'Acme' }, project: { id: 'p' } };
    expect(parseOptions({ ...NEEDED, ...both })).toMatchObject(both);
    expect(() => parseOptions({ ...NEEDED, org: { nam: 'Acme' }, project: {} })).toThrow(
      new TypeError('createBeckon: org: must be { name } or { id }; project: must be { name } or { id }'),
    );
  });

  it('all bad options are named at once', () => {
    expect(() => parseOptions({ ...NEEDED, pollMs: 1, poolsize: 3 })).toThrow(/pollMs: .*; poolsize is not an option/);
  });
});
