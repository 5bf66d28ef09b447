import { describe, expect, it } from 'vitest';
import { membersNamedBy } from './groups.ts';
import { readOperations } from './patch.ts';

const named = (...operations: readonly object[]) => membersNamedBy(readOperations({ Operations: operations }));

describe('membersNamedBy', () => {
  it('operations that name their members concern no others', () => {
    expect(named({ op: 'add', path: 'members', value: [{ value: 'a' }, { value: 'b' }] })).toEqual(['a', 'b']);
    expect(named({ op: 'Remove', path: 'Members', value: [{ value: 'a' }] })).toEqual(['a']);
    expect(
      named({ op: 'remove', path: 'members[value eq "a"]' }, { op: 'replace', path: 'displayName', value: 'x' }),
    ).toEqual(['a']);
  });

  it.each([
    { op: 'replace', path: 'members', value: [{ value: 'a' }] },
    { op: 'remove', path: 'members' },
    { op: 'remove', path: 'members', value: [] },
    { op: 'remove', path: 'members[display eq "a"]' },
    { op: 'remove', path: 'members[value eq "a" or value eq "b"]' },
    { op: 'add', path: 'members', value: [{ display: 'a' }] },
    { op: 'replace', value: { members: [] } },
  ])('the operation %j may concern all members', (operation) => {
    expect(named(operation)).toBe(null);
  });
});
