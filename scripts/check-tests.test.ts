import { describe, expect, it } from 'vitest';
import { findings } from './check-tests.ts';

// Built at run time, so that the check does not find them in this very file.
const call = (name: string, title: string): string => `${name}('${title}', () => {});`;

describe('findings', () => {
  it('accepts unique titles', () => {
    expect(findings([call('it', 'a'), call('it', 'b')].join('\n'))).toEqual([]);
  });

  it('refuses a title that occurs twice, also when the formatter broke the line', () => {
    expect(findings(`${call('it', 'a')}\n  it.each([1, 2])(\n    'a',\n    () => {},\n  );`)).toEqual([
      'line 2: the title "a" is taken by line 1',
    ]);
  });

  it('refuses .only', () => {
    expect(findings(call('describe.only', 'a'))).toEqual(['line 1: .only would silence every other test']);
  });

  it('refuses a skip without a reason and accepts one with it', () => {
    expect(findings(call('it.skip', 'a'))).toHaveLength(1);
    expect(findings(`// skip: no such signal on this system\n${call('it.skip', 'a')}`)).toEqual([]);
  });
});
