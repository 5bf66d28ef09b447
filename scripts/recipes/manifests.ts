/* Checks kubernetes.yaml and compose.yaml. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments, parse as parseYaml } from 'yaml';
import { type Report, recipe, root } from './tools.ts';

type Probe = { readonly httpGet: { readonly path: string } };
type Container = { readonly livenessProbe?: Probe; readonly readinessProbe?: Probe };
type Manifest = {
  readonly kind: string;
  readonly apiVersion: string;
  readonly spec: { readonly template?: { readonly spec: { readonly containers: readonly Container[] } } };
};

const manifestsOf = (): readonly Manifest[] =>
  parseAllDocuments(recipe('kubernetes.yaml')).map((one): Manifest => one.toJS());

/** The name of a kind in Kubernetes' OpenAPI description: the API group `core` has no name in a manifest. */
const schemaOf = ({ apiVersion, kind }: Manifest): string => {
  const [group, version = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion];
  const capital = (word = ''): string => word.slice(0, 1).toUpperCase() + word.slice(1);
  return `IoK8sApi${capital(group)}${capital(version)}${kind}`;
};

/** Each manifest fits the schema of its kind: values by the compiled schema, unknown fields by the type of the schema. */
export const checkAgainstOpenApi = async (report: Report, folder: string): Promise<void> => {
  const manifests = manifestsOf();
  for (const [at, manifest] of manifests.entries()) {
    const file = join(folder, 'node_modules/kubernetes-models/_schemas', `${schemaOf(manifest)}.js`);
    const { validate } = await import(file);
    report(
      `kubernetes OpenAPI of ${manifest.kind} ${at + 1}`,
      [true, null],
      [validate(manifest), validate.errors ?? null],
    );
  }
  const models = manifests.map((manifest, at) => {
    const [group, version] = manifest.apiVersion.includes('/') ? manifest.apiVersion.split('/') : ['', 'v1'];
    const path = group === '' ? 'v1' : `${group}/${version}`;
    return `import { type I${manifest.kind} as Model${at} } from 'kubernetes-models/${path}';\nexport const manifest${at}: Model${at} = ${JSON.stringify(manifest, null, 2)};\n`;
  });
  writeFileSync(join(folder, 'manifests.mts'), models.join('\n'));
  const flags = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--ignoreConfig',
  ];
  const { stdout } = spawnSync(
    process.execPath,
    [join(root, 'node_modules/typescript/bin/tsc'), ...flags, 'manifests.mts'],
    { cwd: folder, encoding: 'utf8' },
  );
  report('kubernetes has no unknown field', '', stdout.trim().slice(0, 400));
};

export const checkManifests = (report: Report): void => {
  const manifests = manifestsOf();
  report(
    'kubernetes kinds',
    ['Deployment', 'Deployment', 'Service'],
    manifests.map(({ kind }) => kind),
  );
  const [server] = manifests[0]?.spec.template?.spec.containers ?? [];
  report(
    'kubernetes probes',
    ['/healthz', '/readyz'],
    [server?.livenessProbe?.httpGet.path, server?.readinessProbe?.httpGet.path],
  );
  const compose: { readonly services: Readonly<Record<string, unknown>> } = parseYaml(recipe('compose.yaml'), {
    merge: true,
  });
  report('compose services', ['database', 'mailpit', 'server', 'worker'], Object.keys(compose.services).toSorted());
};
