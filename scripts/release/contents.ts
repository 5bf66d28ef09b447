/* Rules for a packed package: its manifest, and which files it has. */

export type Manifest = {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly license?: string;
  readonly keywords?: readonly string[];
  readonly engines?: { readonly node?: string };
  readonly repository?: { readonly type?: string; readonly url?: string; readonly directory?: string };
  readonly publishConfig?: { readonly access?: string; readonly provenance?: boolean };
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: unknown;
  readonly scripts?: unknown;
  readonly devDependencies?: unknown;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
};

/** An unpacked package: its manifest, and the text of each file by its path. */
export type Packed = { readonly manifest: Manifest; readonly files: ReadonlyMap<string, string> };

const ALWAYS = ['package.json', 'README.md', 'LICENSE'];
/** What packages may contain. Everything else is a mistake in a list of files. */
const ALLOWED =
  /^(package\.json|README\.md|LICENSE|CHANGELOG\.md|bin\/beckon\.js|(bundle|workflow)\.schema\.json|dist\/.+|starter\/(shared|express|hono)\/.+)$/;
const FORBIDDEN = /\.map$|\.tsbuildinfo|\.test\.(d\.ts|js)$|(^|\/)\.env|node_modules\//;
const OLDEST_NODE = '>=22.19';

/** The paths that `exports` and `bin` name. */
const entriesOf = (node: unknown): readonly string[] => {
  if (typeof node === 'string') return [node];
  return typeof node === 'object' && node !== null ? Object.values(node).flatMap(entriesOf) : [];
};

const namesSource = (node: unknown): boolean =>
  typeof node === 'object' &&
  node !== null &&
  Object.entries(node).some(([key, value]) => key === '@beckon/source' || namesSource(value));

const faultsOfManifest = ({ manifest, files }: Packed): readonly string[] => {
  const dependencies = { ...manifest.dependencies, ...manifest.optionalDependencies };
  const missing = [...entriesOf(manifest.exports), ...entriesOf(manifest.bin)]
    .map((path) => path.replace('./', ''))
    .filter((path) => !files.has(path));
  const checks: readonly (readonly [boolean, string])[] = [
    [(manifest.description ?? '').length < 20, 'description is missing'],
    [manifest.license !== 'Apache-2.0', 'license is not Apache-2.0'],
    [(manifest.keywords ?? []).length < 3, 'fewer than three keywords'],
    [manifest.engines?.node !== OLDEST_NODE, `engines.node is not ${OLDEST_NODE}`],
    [manifest.publishConfig?.access !== 'public', 'publishConfig.access is not public'],
    [manifest.publishConfig?.provenance !== true, 'publishConfig.provenance is not true'],
    [manifest.scripts !== undefined || manifest.devDependencies !== undefined, 'scripts or devDependencies are left'],
    [namesSource(manifest.exports), 'exports names @beckon/source'],
    [missing.length > 0, `exports or bin names ${missing.join(', ')}, which the package lacks`],
    [Object.keys(dependencies).some((name) => /^node-/.test(name)), 'depends on a platform package of Node'],
    [
      Object.entries(dependencies).some(([name, range]) => name.startsWith('@beckon/') && range !== manifest.version),
      'depends on another version of a Beckon package',
    ],
  ];
  return checks.filter(([isWrong]) => isWrong).map(([, what]) => what);
};

/**
 * What is wrong with a packed package, as sentences without a subject; empty: nothing.
 *
 * @param root folder of the checkout, which no file may mention
 * @param repository URL that the manifest must name; undefined: it may lack one
 */
export const faultsOf = (
  packed: Packed,
  { root, repository }: { readonly root: string; readonly repository: string | undefined },
): readonly string[] => {
  const { files } = packed;
  const paths = [...files.keys()];
  const namesRoot = [...files].filter(([, text]) => text.includes(root)).map(([path]) => path);
  const drizzle = [...files].filter(([path, text]) => path.endsWith('.d.ts') && /['"]drizzle-orm/.test(text));
  return [
    ...faultsOfManifest(packed),
    ...(repository === undefined || packed.manifest.repository?.url === repository
      ? []
      : [`does not name the repository ${repository}`]),
    ...ALWAYS.filter((path) => !files.has(path) || files.get(path) === '').map((path) => `lacks ${path}`),
    ...paths.filter((path) => !ALLOWED.test(path) || FORBIDDEN.test(path)).map((path) => `contains ${path}`),
    ...namesRoot.map((path) => `${path} names the folder of the checkout`),
    ...drizzle.map(([path]) => `${path} names drizzle-orm`),
  ];
};
