import { resolve } from 'node:path';
import { Option } from 'commander';
import type { Answer, Api, Body, Input } from '../api.ts';
import { audiencePair, mapAudiences } from '../bundle-audiences.ts';
import { changeLines } from '../bundle-changes.ts';
import { paintLines, paintOf } from '../colour.ts';
import type { CommonFlags, Context } from '../command-line.ts';
import { CliError, EXIT, type ExitCode, usageError } from '../exit-codes.ts';
import { writeNamedFile } from '../files.ts';
import { readInput } from '../input.ts';
import { jsonOf } from '../json-text.ts';
import { createOutput, formOf } from '../output.ts';
import { whileWaiting } from '../progress.ts';
import { inApi } from '../scoped.ts';
import { noun } from '../table/noun.ts';
import { clean, escapeJson } from '../text.ts';

type ExportFlags = {
  readonly file?: string;
  readonly workflow?: readonly string[];
  readonly compact?: boolean;
  readonly stable?: boolean;
};
type ImportFlags = {
  readonly dryRun?: boolean;
  readonly exitCode?: boolean;
  readonly yes?: boolean;
  readonly only?: 'create' | 'update';
  readonly prune?: boolean;
  readonly mapAudience?: ReadonlyMap<string, string>;
};

/** Maximum bytes of a bundle. Source: interface, Limits, body of every other endpoint. */
const MAX_BUNDLE_BYTES = 1_048_576;
/** Export time of `--stable`, so that a git diff shows only changes. */
const STABLE_TIME = '1970-01-01T00:00:00.000Z';

const level = 'project';
const EXPORT = 'GET /automation/workflows/export';
const IMPORT = 'POST /automation/workflows/import';
type Bundle = Answer<typeof EXPORT>;
type ImportAnswer = Answer<typeof IMPORT>;
type BundleBody = Body<typeof IMPORT>;

/** All workflows, with an ETag that changes with them. */
const exported = (api: Api) => api.tagged(EXPORT);

/** The bundle reduced to these workflows. Throws CliError invalid for an unknown name. */
const withWorkflows = (bundle: Bundle, names: readonly string[]): Bundle => {
  const found = bundle.workflows.filter(({ name }) => names.includes(name));
  if (found.length === new Set(names).size) return { ...bundle, workflows: found };
  const missing = names.filter((name) => found.every((workflow) => workflow.name !== name));
  const message = `No workflow has the name ${missing.map((name) => `"${name}"`).join(', ')}.`;
  const details = { fieldErrors: { workflows: [message] } };
  throw new CliError(EXIT.invalid, message, { code: 'VALIDATION_ERROR', details });
};

/** URL of the schema of bundles, from which editors complete the file. */
const schemaUrl = ({ services }: Context): string => {
  const { $id } = JSON.parse(services.workflowSchema('bundle'));
  return String($id);
};

const exportBundle = async (context: Context, flags: CommonFlags & ExportFlags): Promise<undefined> => {
  const { data: whole } = await inApi(context, flags, { level }, exported);
  const bundle = flags.workflow === undefined ? whole : withWorkflows(whole, flags.workflow);
  const data = flags.stable === true ? { ...bundle, exportedAt: STABLE_TIME } : bundle;
  const file = { $schema: schemaUrl(context), ...data };
  const text = `${JSON.stringify(file, null, flags.compact === true ? undefined : 2)}\n`;
  const output = createOutput(context.io, flags);
  if (flags.file === undefined || flags.file === '-') {
    if (output.form === 'json') output.answer(data, []);
    else context.io.stdout.write(escapeJson(text));
    return undefined;
  }
  writeNamedFile(resolve(context.io.cwd, flags.file), flags.file, text);
  const count = data.workflows.length;
  output.answer({ file: flags.file, workflows: count }, [
    `Wrote ${count} ${count === 1 ? 'workflow' : 'workflows'} to ${flags.file}.`,
  ]);
  return undefined;
};

const tooLarge = (): CliError =>
  new CliError(EXIT.invalid, `The bundle exceeds ${MAX_BUNDLE_BYTES} bytes.`, {
    code: 'PAYLOAD_TOO_LARGE',
    details: { max: MAX_BUNDLE_BYTES },
  });

/** The JSON value of a file. Throws CliError: unreadable (1), too large or not JSON (5). */
const readBundle = async (context: Context, file: string): Promise<unknown> =>
  jsonOf(context, file, await readInput(context.io, file, MAX_BUNDLE_BYTES, tooLarge));

const planLines = ({ created, updated, unchanged, skipped, warnings }: ImportAnswer): string[] => [
  ...created.map(({ name }) => `+ create  ${clean(name)}`),
  ...updated.map(({ name, changes }) => `~ update  ${clean(name)}  ${clean(changes.join(', '))}`),
  ...unchanged.map(({ name }) => `= same    ${clean(name)}`),
  ...skipped.map((name) => `  skip    ${clean(name)}`),
  ...warnings.map(({ name, path, message }) => `! ${clean(name)} ${clean(path)}: ${clean(message)}`),
  `${created.length} to create, ${updated.length} to update, ${unchanged.length} unchanged`,
];

const isChange = ({ created, updated }: ImportAnswer): boolean => created.length + updated.length > 0;

const confirm = async ({ io }: Context, plan: ImportAnswer): Promise<void> => {
  io.stderr.write(`${paintLines(planLines(plan).join('\n'), paintOf(io, 'stderr'))}\n`);
  const answer = await io.stdin.prompt('Import these changes? [y/N] ');
  if (!/^y(es)?$/i.test(answer.trim())) throw new CliError(EXIT.negative, 'Nothing was imported.');
};

const importBundle = async (context: Context, flags: CommonFlags & ImportFlags, file: string): Promise<ExitCode> => {
  const { io } = context;
  const canAsk = io.stdin.isTTY && io.stderr.isTTY && file !== '-' && formOf(flags) === 'table';
  if (flags.exitCode === true && flags.dryRun !== true) throw usageError('--exit-code needs --dry-run.');
  if (flags.exitCode === true) context.failureCode = EXIT.internal;
  // Read before the confirmation, so that a missing file is reported first.
  const original = await readBundle(context, file);
  if (flags.dryRun !== true && flags.yes !== true && !canAsk) {
    throw new CliError(EXIT.unconfirmed, 'Import needs confirmation.', {
      hint: 'Pass --yes. To see the changes first, pass --dry-run.',
    });
  }
  // Safe: core validates the bundle.
  const bundle = mapAudiences(original, flags.mapAudience ?? new Map()) as BundleBody;
  const { only, prune } = flags;
  const answer = await inApi(context, flags, { level }, async (api) => {
    const imported = (query: Input<typeof IMPORT>['query'] = {}) =>
      whileWaiting(io, flags, query.dryRun === true ? 'Checking the bundle' : 'Importing', () =>
        api.call(IMPORT, { query: { only, prune, ...query }, body: bundle }),
      );
    if (flags.dryRun === true) return imported({ dryRun: true });
    if (flags.yes === true) return imported();
    const { etag } = await exported(api);
    const plan = await imported({ dryRun: true });
    if (isChange(plan)) await confirm(context, plan);
    // Only the confirmed changes are applied: the ETag makes a concurrent change a conflict.
    return imported({ ifMatch: etag ?? undefined });
  });
  const done = answer.dryRun ? 'Dry run: nothing was written.' : 'Imported.';
  createOutput(io, flags).answer(answer, [...planLines(answer), done]);
  return flags.exitCode === true && isChange(answer) ? EXIT.negative : EXIT.ok;
};

const validate = async (
  context: Context,
  flags: CommonFlags & { readonly strict?: boolean },
  file: string,
): Promise<ExitCode> => {
  const { io, services } = context;
  const checked = await services.checkBundle(await readBundle(context, file));
  const { workflows, warnings } = checked;
  const output = createOutput(io, flags);
  const isRefused = flags.strict === true && warnings.length > 0;
  const count = `${workflows.length} ${workflows.length === 1 ? 'workflow' : 'workflows'}`;
  output.answer({ ...checked, ok: !isRefused }, [
    ...warnings.map(({ name, path, message }) => `! ${clean(name)} ${clean(path)}: ${clean(message)}`),
    isRefused
      ? `${count}, rejected by --strict: ${warnings.length} ${warnings.length === 1 ? 'warning' : 'warnings'}`
      : `${count}, valid`,
  ]);
  return isRefused ? EXIT.invalid : EXIT.ok;
};

/** The changes of an import, as text and exit code: 0 same, 1 differs, above 1 an error. */
const diff = async (
  context: Context,
  flags: CommonFlags & { readonly nameOnly?: boolean },
  file: string,
): Promise<ExitCode> => {
  const { io } = context;
  context.failureCode = EXIT.internal;
  // Safe: core validates the bundle.
  const bundle = (await readBundle(context, file)) as BundleBody;
  const [plan, before] = await inApi(context, flags, { level }, async (api) => {
    const answer = await api.call(IMPORT, { query: { dryRun: true }, body: bundle });
    return [answer, (await exported(api)).data.workflows] as const;
  });
  const named = new Set(bundle.workflows.map(({ name }) => name));
  const kept = before.filter(({ name }) => !named.has(name)).map(({ name }) => name);
  const { created, updated, unchanged, warnings } = plan;
  const text =
    flags.nameOnly === true
      ? [...created, ...updated].map(({ name }) => clean(name))
      : changeLines(plan, { before, after: bundle.workflows, kept: kept.length });
  createOutput(io, flags).answer({ created, updated, unchanged, kept, warnings }, text);
  return isChange(plan) ? EXIT.negative : EXIT.ok;
};

const file = ['<file>', 'Bundle, - for stdin'] as const;
const shared = { level, isRemote: true } as const;
// Proof of the casts: the options beside them; tests run each command.

/** Import and export of workflows as one JSON file. */
export const bundle = noun('bundle', 'Import and export workflows', {
  export: {
    ...shared,
    about: 'Export workflows to a JSON bundle',
    examples: ['-f workflows.json', "--workflow 'Welcome series' --stable"],
    options: [
      new Option('-f, --file <file>', 'File to write, - for stdout').default('-'),
      new Option('--workflow <names...>', 'Only workflows with these names'),
      new Option('--pretty', 'Indent by two spaces (default)').conflicts('compact'),
      new Option('--compact', 'Write on one line'),
      new Option('--stable', 'Write a fixed export time, for version control'),
    ],
    run: (context, flags) => exportBundle(context, flags as CommonFlags & ExportFlags),
  },
  validate: {
    // Opens no database, so it has no options about one.
    level: 'none',
    about: 'Validate a bundle without a database',
    examples: ['workflows.json --strict'],
    exits: '0 valid, 3 other version, 5 invalid',
    args: [file],
    options: [new Option('--strict', 'Treat warnings as errors')],
    run: (context, flags, [path = '']) => validate(context, flags as CommonFlags & { strict?: boolean }, path),
  },
  diff: {
    ...shared,
    about: 'Show what an import would change',
    examples: ['workflows.json'],
    exits: '0 same, 1 differs, above 1 error',
    args: [file],
    options: [new Option('--name-only', 'Print only names of created and updated workflows')],
    run: (context, flags, [path = '']) => diff(context, flags as CommonFlags & { nameOnly?: boolean }, path),
  },
  import: {
    ...shared,
    about: 'Import a bundle in one transaction',
    examples: ['workflows.json --dry-run', 'workflows.json --yes'],
    exits: '0 imported, 3 other version, 5 invalid, 9 confirmation required',
    args: [file],
    options: [
      new Option('--dry-run', 'Show changes without writing'),
      new Option('--exit-code', 'With --dry-run: exit 1 if there are changes'),
      new Option('--only <what>', 'Limit the import').choices(['create', 'update']),
      new Option('--prune', 'Disable workflows that are not in the bundle'),
      new Option('--map-audience <old=new>', 'Replace an audience id; repeatable').argParser(audiencePair),
      new Option('-y, --yes', 'Skip the confirmation'),
    ],
    run: (context, flags, [path = '']) => importBundle(context, flags as CommonFlags & ImportFlags, path),
  },
});
