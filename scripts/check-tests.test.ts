import { describe, expect, it } from 'vitest';
import { findings } from './check-tests.ts';

// Built at run time, so that the check does not find them in this very file.
const call = (name: string, title: string): string => `${name}('${title}', () => {});`;

describe('findings', () => {
  it('unique titles are accepted', () => {
    expect(findings([call('it', 'a'), call('it', 'b')].join('\n'))).toEqual([]);
  });

  it('a repeated title is rejected, also if the formatter broke the line', () => {
    expect(findings(`${call('it', 'a')}\n  it.each([1, 2])(\n    'a',\n    () => {},\n  );`)).toEqual([
      'line 2: the title "a" is taken by line 1',
    ]);
  });

  it('.only is rejected', () => {
    expect(findings(call('describe.only', 'a'))).toEqual(['line 1: .only would silence every other test']);
  });

  it('a skip is rejected without a reason and accepted with one', () => {
    expect(findings(call('it.skip', 'a'))).toHaveLength(1);
    expect(findings(`// skip: no such signal on this system\n${call('it.skip', 'a')}`)).toEqual([]);
  });
});
