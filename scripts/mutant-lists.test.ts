import { describe, expect, it } from 'vitest';
import { appliedOf, listOf, roomsWithList } from './mutant-lists.ts';

describe('lists of mutants', () => {
  it.each(roomsWithList())('of %s fits the code', async (room) => {
    const applied = (await listOf(room)).map((mutant) => appliedOf(room, mutant));
    expect(applied).not.toHaveLength(0);
  });
});
