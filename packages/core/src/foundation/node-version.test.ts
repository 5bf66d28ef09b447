import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { requireNode } from './node-version.ts';

describe('requireNode', () => {
  it.each(['18.20.0', '20.20.2', '22.18.9', '21.99.0'])('refuses Node %s in a sentence', (version) => {
    expect(() => requireNode(version)).toThrow(`Beckon needs Node 22.19 or newer, and this is Node ${version}.`);
  });

  it.each(['22.19.0', '22.20.1', '23.0.0', '26.10.0'])('takes Node %s', (version) => {
    requireNode(version);
  });

  it('takes what package.json takes', () => {
    const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(manifest.engines.node).toBe('>=22.19');
  });
});
