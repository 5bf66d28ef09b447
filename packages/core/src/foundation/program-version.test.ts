import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PROGRAM_VERSION } from './program-version.ts';

it('PROGRAM_VERSION is the version of package.json', () => {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  expect(manifest).toMatchObject({ version: PROGRAM_VERSION });
});
