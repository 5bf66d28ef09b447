import { describe, expect, it } from 'vitest';
import { bomOf, bundledOf, closureOf, type Lock, licensesOf, materialsOf, unacceptedOf } from './materials.ts';

const lock: Lock = {
  'packages/http': { version: '0.2.0', dependencies: { '@beckon/core': '0.2.0', a: '1.0.0' } },
  'node_modules/@beckon/core': { link: true, resolved: 'packages/core' },
  'packages/core': { version: '0.2.0', dependencies: { b: '2.0.0' }, optionalDependencies: { c: '1.0.0' } },
  'packages/core/node_modules/b': { version: '2.0.0', license: 'MIT', integrity: 'sha512-AAE=' },
  'node_modules/a': { version: '1.0.0', license: 'ISC', dependencies: { b: '1.0.0' } },
  'node_modules/b': { version: '1.0.0', license: 'MPL-2.0', dependencies: { a: '1.0.0' } },
  'node_modules/c': { version: '1.0.0' },
  'node_modules/unused': { version: '1.0.0', license: 'MIT' },
};

describe('materials of a package', () => {
  it('the closure follows workspaces, nested copies and circles, and leaves out what nothing needs', () => {
    expect(closureOf(lock, 'packages/http')).toEqual([
      ...['node_modules/a', 'node_modules/b', 'node_modules/c', 'packages/core', 'packages/core/node_modules/b'],
    ]);
  });

  it('materials have the licence of the lock file, or else that of the installed manifest', () => {
    const materials = materialsOf(lock, 'packages/http', (path) => (path === 'node_modules/c' ? '0BSD' : null));
    expect(materials).toEqual([
      { name: 'a', version: '1.0.0', license: 'ISC', sha512: null },
      { name: 'b', version: '1.0.0', license: 'MPL-2.0', sha512: null },
      { name: 'c', version: '1.0.0', license: '0BSD', sha512: null },
      { name: 'b', version: '2.0.0', license: 'MIT', sha512: '0001' },
    ]);
    expect(licensesOf(materials)).toEqual([
      ['0BSD', 1],
      ['ISC', 1],
      ['MIT', 1],
      ['MPL-2.0', 1],
    ]);
  });

  it('a missing licence and one that is not accepted are reported, an alternative is not', () => {
    const of = (license: string | null) => ({ name: 'x', version: '1.0.0', license, sha512: null });
    const all = [null, 'GPL-3.0-only', 'MIT AND GPL-3.0-only', '(MIT OR GPL-3.0-only)', 'MIT', 'Apache-2.0 AND MIT'];
    expect(unacceptedOf(all.map(of)).map(({ license }) => license)).toEqual(all.slice(0, 3));
  });

  it('packages inside a bundle are read from its notices', () => {
    const notices = 'drizzle-orm 0.45.4 (Apache-2.0)\n\nThe text (of it)\n\n---\n\n@a/b 1.2.3 (MIT)\n';
    expect(bundledOf(notices)).toEqual([
      { name: 'drizzle-orm', version: '0.45.4', license: 'Apache-2.0', sha512: null },
      { name: '@a/b', version: '1.2.3', license: 'MIT', sha512: null },
    ]);
  });

  it('the list of materials has a package URL, a digest and a licence for each', () => {
    const [material] = bundledOf('@a/b 1.2.3 (MIT OR ISC)');
    const { components } = bomOf('@beckon/http', '0.2.0', material ? [{ ...material, sha512: '00' }] : []);
    expect(components).toEqual([
      {
        ...{ type: 'library', name: '@a/b', version: '1.2.3', purl: 'pkg:npm/%40a/b@1.2.3' },
        hashes: [{ alg: 'SHA-512', content: '00' }],
        licenses: [{ expression: 'MIT OR ISC' }],
      },
    ]);
  });
});
