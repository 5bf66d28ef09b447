import { describe, expect, it } from 'vitest';
import { emptyCli } from '../../test/support/empty.ts';

const VERSION = /^3\.\d+\.\d+$/;

describe('version', () => {
  it('version prints the versions of program, Node, SQLite and schema', async () => {
    const { run, io, envelope } = emptyCli();
    expect(await run('version', '--json')).toBe(0);
    expect(envelope()).toMatchObject({
      success: true,
      data: { node: process.versions.node, sqlite: expect.stringMatching(VERSION), schema: expect.any(Number) },
    });
    io.remove();
  });

  it('version needs no database', async () => {
    const { run, io } = emptyCli();
    expect(await run('version')).toBe(0);
    expect(io.out()).toMatch(/^sqlite {2}3\.\d+\.\d+$/m);
    expect(io.out()).toMatch(/^schema {2}[1-9]\d*$/m);
    io.remove();
  });
});
