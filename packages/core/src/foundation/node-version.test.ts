import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { requireNode } from './node-version.ts';

describe('requireNode', () => {
  it.each(['18.20.0', '20.20.2', '22.18.9', '21.99.0'])('requireNode rejects Node %s with a sentence', (version) => {
    expect(() => requireNode(version)).toThrow(`Beckon needs Node 22.19 or newer, and this is Node ${version}.`);
  });

  it.each(['22.19.0', '22.20.1', '23.0.0', '26.10.0'])('requireNode accepts Node %s', (version) => {
    requireNode(version);
  });

  it('requireNode requires the version of package.json', () => {
    const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(manifest.engines.node).toBe('>=22.19');
  });
});
