import { readFileSync } from 'node:fs';

/** The version of this package, as its manifest says. The manifest lies one folder above, from source and bundled. */
export const programVersion = (): string => {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const version = typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : null;
  if (typeof version !== 'string') throw new Error('package.json of the program names no version');
  return version;
};
