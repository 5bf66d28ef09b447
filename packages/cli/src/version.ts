import { readFileSync } from 'node:fs';

/** The version in this package's manifest, which is one folder above, from source and in the bundle. */
export const programVersion = (): string => {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const version = typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : null;
  if (typeof version !== 'string') throw new Error('package.json of the program has no version');
  return version;
};
