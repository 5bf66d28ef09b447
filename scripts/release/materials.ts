/* The packages that an installation of a published package brings: a CycloneDX list of materials, and their licences. */

export type LockEntry = {
  readonly version?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly integrity?: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
};
/** `packages` of package-lock.json, by path. */
export type Lock = Readonly<Record<string, LockEntry>>;

export type Material = {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression; null if neither lock file nor manifest names one. */
  readonly license: string | null;
  /** SHA-512 of the tarball as hex; null for a part of the bundle. */
  readonly sha512: string | null;
};

/** Licences that let others ship and use the package. MPL-2.0 covers its own files alone. */
const ACCEPTED = new Set([
  ...['MIT', 'MIT-0', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'BlueOak-1.0.0', 'CC0-1.0'],
  ...['MPL-2.0', 'Unlicense', 'Python-2.0', 'CC-BY-4.0'],
]);

const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** The entry that `name` resolves to for a package at `from`, as Node searches: the nearest folder first. */
const find = (lock: Lock, from: string, name: string): string | undefined => {
  for (let at = from; ; at = at.slice(0, Math.max(at.lastIndexOf('/'), 0))) {
    const path = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`;
    const entry = lock[path];
    if (entry) return entry.link ? entry.resolved : path;
    if (at === '') return undefined;
  }
};

/** Paths of all packages that the one at `start` brings, without itself. */
export const closureOf = (lock: Lock, start: string): readonly string[] => {
  const seen = new Set<string>();
  const visit = (path: string): void => {
    const { dependencies, optionalDependencies } = lock[path] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      // Optional packages of other platforms are in the lock file as well, so only a fault of the file leaves one out.
      const found = find(lock, path, name);
      if (found === undefined || seen.has(found)) continue;
      seen.add(found);
      visit(found);
    }
  };
  visit(start);
  return [...seen].toSorted();
};

const hexOf = (integrity: string | undefined): string | null => {
  const sha512 = /sha512-(\S+)/.exec(integrity ?? '')?.[1];
  return sha512 === undefined ? null : Buffer.from(sha512, 'base64').toString('hex');
};

/** @param licenseOf reads the manifest of an installed package whose entry names no licence */
export const materialsOf = (
  lock: Lock,
  start: string,
  licenseOf: (path: string) => string | null,
): readonly Material[] =>
  closureOf(lock, start)
    .filter((path) => path.includes('node_modules/'))
    .map((path) => {
      const { version = '', license, integrity } = lock[path] ?? {};
      return { name: nameOf(path), version, license: license ?? licenseOf(path), sha512: hexOf(integrity) };
    });

/** The packages inside the bundles, from the text of THIRD-PARTY.txt. */
export const bundledOf = (notices: string): readonly Material[] =>
  Array.from(
    notices.matchAll(/(?:^|\n---\n\n)(\S+) (\d\S*) \(([^)]*)\)/g),
    ([, name = '', version = '', license = '']) => ({
      ...{ name, version, license, sha512: null },
    }),
  );

/** Materials whose licence is missing or not among the accepted ones. `A OR B` needs one of them, `A AND B` both. */
export const unacceptedOf = (materials: readonly Material[]): readonly Material[] =>
  materials.filter(({ license }) => {
    const choices = (license ?? '').replaceAll(/[()]/g, '').split(' OR ');
    return !choices.some((choice) => choice.split(' AND ').every((one) => ACCEPTED.has(one.trim())));
  });

/** How many materials have each licence, the most frequent first. */
export const licensesOf = (materials: readonly Material[]): readonly (readonly [license: string, count: number])[] => {
  const counts = new Map<string, number>();
  for (const { license } of materials) counts.set(license ?? 'none', (counts.get(license ?? 'none') ?? 0) + 1);
  return [...counts].toSorted(([a, n], [b, m]) => m - n || a.localeCompare(b));
};

const purlOf = (name: string, version: string): string => `pkg:npm/${name.replace('@', '%40')}@${version}`;

/** A CycloneDX list of materials. Source of the format: CycloneDX 1.6. */
export const bomOf = (name: string, version: string, materials: readonly Material[]) => ({
  ...{ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 },
  metadata: {
    component: {
      ...{ type: 'library', name, version, purl: purlOf(name, version) },
      licenses: [{ license: { id: 'Apache-2.0' } }],
    },
  },
  components: materials.map(({ name: of, version: its, license, sha512 }) => ({
    ...{ type: 'library', name: of, version: its, purl: purlOf(of, its) },
    ...(sha512 === null ? {} : { hashes: [{ alg: 'SHA-512', content: sha512 }] }),
    ...(license === null
      ? {}
      : { licenses: [/[ (]/.test(license) ? { expression: license } : { license: { id: license } }] }),
  })),
});
