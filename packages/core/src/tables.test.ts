import { describe, expect, it } from 'vitest';
import * as postgres from './schema.postgres.ts';
import * as sqlite from './schema.sqlite.ts';
import { tablesOf } from './tables.ts';

describe('tables', () => {
  it.each([
    ['sqlite', sqlite],
    ['postgres', postgres],
  ] as const)('are all in the migrations of %s', (dialect, schema) => {
    expect(Object.keys(schema).sort()).toEqual(Object.keys(tablesOf(dialect)).sort());
  });
});
