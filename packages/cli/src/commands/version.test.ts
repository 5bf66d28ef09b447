import { describe, expect, it } from 'vitest';
import { cli } from '../../test/support/cli.ts';

describe('version', () => {
  it('version prints the versions of program, Node, SQLite and schema', async () => {
    const { run, io, envelope } = cli();
    expect(await run('version', '--json')).toBe(0);
    expect(envelope()).toMatchObject({
      success: true,
      data: { node: process.versions.node, sqlite: '3.50.0', schema: 1 },
    });
    io.remove();
  });

  it('version needs no database', async () => {
    const { run, io } = cli({ isNew: true });
    expect(await run('version')).toBe(0);
    expect(io.out()).toContain('sqlite  3.50.0');
    io.remove();
  });
});
