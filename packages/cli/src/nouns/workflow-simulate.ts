import type { SimulateInput, WorkflowInput } from '@beckon/core';
import { Argument, InvalidArgumentError, Option } from 'commander';
import type { Body } from '../api.ts';
import type { CommonFlags, Context } from '../command-line.ts';
import { CliError, EXIT, type ExitCode } from '../exit-codes.ts';
import { readInput } from '../input.ts';
import { isObject } from '../is-object.ts';
import { jsonOf } from '../json-text.ts';
import { workflowId } from '../lookups.ts';
import { createOutput } from '../output.ts';
import { inApi } from '../scoped.ts';
import { SCHEMA_KINDS } from '../services.ts';
import { type Simulation, simulationLines, warningLine } from '../simulation-text.ts';
import type { Verb } from '../table/noun.ts';
import { clean, escapeJson } from '../text.ts';
import { bundleFileOf, casesOf, type Difference, differences, findTests, workflowNamed } from '../workflow-tests.ts';

/** Maximum bytes of a bundle, a test or an event. Chosen: as for an import. */
const MAX_BYTES = 1_048_576;

type SimulateFlags = {
  readonly event?: string;
  readonly user?: string;
  readonly answers?: string;
  readonly now?: string;
  readonly bundle?: string;
};
type Tested = { readonly file: string; readonly name: string; readonly differences: readonly Difference[] };
/** Results of one file: its cases, and warnings about their workflows. */
type TestedFile = { readonly tested: readonly Tested[]; readonly warnings: Simulation['warnings'] };

const momentOf = (text: string): string => {
  const moment = new Date(text);
  if (Number.isNaN(moment.getTime())) throw new InvalidArgumentError('Pass a time such as 2026-03-01T10:00:00Z.');
  return moment.toISOString();
};

/** Adds the file name to validation errors. */
const withFileName = async <T>(file: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CliError || !(error instanceof Error && 'code' in error && error.code === 'VALIDATION_ERROR'))
      throw error;
    const details = 'details' in error ? error.details : undefined;
    const fields = isObject(details) && isObject(details['fieldErrors']) ? Object.entries(details['fieldErrors']) : [];
    const why = fields.map(([path, message]) => `${path}: ${String(message)}`).join('; ');
    throw new CliError(EXIT.invalid, `${file}: ${why === '' ? error.message : why}`, {
      code: 'VALIDATION_ERROR',
      details,
    });
  }
};

const readJson = async (context: Context, file: string): Promise<unknown> => {
  const tooLarge = () => new CliError(EXIT.invalid, `${file} exceeds ${MAX_BYTES} bytes.`);
  const bytes = await readInput(context.io, file, MAX_BYTES, tooLarge);
  return withFileName(file, () => jsonOf(context, file, bytes));
};

/** The content of a workflow file: one workflow, or a bundle, which must be valid for an import. */
const readWorkflows = async (context: Context, file: string): Promise<unknown> => {
  const content = await readJson(context, file);
  if (isObject(content) && Object.hasOwn(content, 'workflows'))
    await withFileName(file, () => context.services.checkBundle(content));
  return content;
};

const inputOf = async (context: Context, flags: SimulateFlags): Promise<SimulateInput> => {
  const part = async (file: string | undefined) => (file === undefined ? undefined : readJson(context, file));
  const [event = {}, user, answers] = [await part(flags.event), await part(flags.user), await part(flags.answers)];
  const input = { event, user, answers, now: flags.now };
  // Safe: core validates the input.
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as SimulateInput;
};

/** A simulation without a database, as JSON, because tests expect JSON. */
const simulated = async ({ services }: Context, workflow: WorkflowInput, input: SimulateInput): Promise<Simulation> =>
  JSON.parse(JSON.stringify(await services.simulate(workflow, input)));

const shown = (value: unknown): string => (value === undefined ? 'not set' : clean(JSON.stringify(value)));

const testedLines = ({ file, name, differences: found }: Tested): string[] => [
  `${found.length === 0 ? 'ok  ' : 'FAIL'} ${clean(file)}: ${clean(name)}`,
  ...found.flatMap(({ path, expected, actual }) => [
    `     ${clean(path)}`,
    `     - ${shown(expected)}`,
    `     + ${shown(actual)}`,
  ]),
];

const testFile = async (context: Context, file: string): Promise<TestedFile> => {
  const test = await readJson(context, file);
  const cases = casesOf(file, test, await readWorkflows(context, bundleFileOf(file, test)));
  const tested: Tested[] = [];
  const warnings = new Map<string, Simulation['warnings'][number]>();
  for (const { name, workflow, input, expected } of cases) {
    const simulation = await withFileName(file, () => simulated(context, workflow, input));
    tested.push({ file, name, differences: differences(expected, simulation) });
    // Cases of one file usually test the same workflow, so equal warnings are merged.
    for (const warning of simulation.warnings) warnings.set(warningLine(warning), warning);
  }
  return { tested, warnings: [...warnings.values()] };
};

const simulate = async (context: Context, flags: CommonFlags & SimulateFlags, [named = '']: readonly string[]) => {
  const input = await inputOf(context, flags);
  const output = createOutput(context.io, flags);
  const { bundle } = flags;
  if (bundle !== undefined) {
    const workflow = workflowNamed(bundle, await readWorkflows(context, bundle), named);
    const simulation = await withFileName(bundle, () => simulated(context, workflow, input));
    output.answer(simulation, simulationLines(simulation));
    return undefined;
  }
  return inApi(context, flags, {}, async (api) => {
    const params = { id: await workflowId(api, named) };
    // Safe: core validates the body.
    const body = input as Body<'POST /automation/workflows/{id}/simulate'>;
    const simulation = await api.call('POST /automation/workflows/{id}/simulate', { params, body });
    output.answer(simulation, simulationLines(simulation));
    return undefined;
  });
};

/** `beckon workflows simulate`: simulates one event, on stored data or, with `--bundle`, without a database. */
export const simulateVerb: Verb = {
  about: 'Simulate a workflow for one event',
  examples: ["'Welcome series' --event event.json --env test", 'Welcome --bundle welcome.json --event event.json'],
  help: '\nA simulation sends nothing.',
  args: [['<workflow>', 'Workflow name or id']],
  options: [
    new Option('--event <file>', 'Event as JSON, with properties and user'),
    new Option('--user <file>', 'User as JSON; overrides stored values'),
    new Option('--answers <file>', 'Results of steps and later events, as JSON'),
    new Option('--now <time>', 'Time of the event').argParser(momentOf),
    new Option('--bundle <file>', 'Read the workflow from a bundle, not a database'),
  ],
  isRemote: true,
  run: simulate,
};

const test = async (context: Context, flags: CommonFlags, paths: readonly string[]): Promise<ExitCode | undefined> => {
  const files = findTests(context.io.cwd, paths.length === 0 ? ['.'] : paths);
  if (files.length === 0)
    throw new CliError(
      EXIT.negative,
      `No *.test.json files in ${paths.length === 0 ? 'this folder' : paths.join(', ')}.`,
      {
        code: 'NOT_FOUND',
        hint: 'Create one beside a bundle: { "event": {}, "user": { "userId": "ada" }, "expect": { "verdict": "started" } }',
      },
    );
  const tested: Tested[] = [];
  const warnings: (Simulation['warnings'][number] & { readonly file: string })[] = [];
  for (const file of files) {
    const done = await testFile(context, file);
    tested.push(...done.tested);
    warnings.push(...done.warnings.map((warning) => ({ file, ...warning })));
  }
  const failed = tested.filter((one) => one.differences.length > 0).length;
  const answer = { passed: tested.length - failed, failed, tests: tested, warnings };
  createOutput(context.io, flags).answer(answer, [
    ...tested.flatMap(testedLines),
    ...warnings.map(({ file, ...warning }) => `! ${clean(file)}: ${warningLine(warning)}`),
    `${answer.passed} passed, ${failed} failed`,
  ]);
  return failed > 0 ? EXIT.negative : undefined;
};

/** `beckon workflows test`: runs test files. Exits 0 if all pass, 1 if one fails. */
export const testVerb: Verb = {
  about: 'Run workflow tests (*.test.json)',
  examples: ['', 'workflows/'],
  exits: '0 all passed, 1 one failed',
  args: [['[path...]', 'Folders or *.test.json files (default: this folder)']],
  level: 'none',
  run: test,
};

/** `beckon workflows schema`: prints the JSON Schema of workflow files, for editors. */
export const schemaVerb: Verb = {
  about: 'Print the JSON Schema of workflow files',
  examples: ['> bundle.schema.json', 'workflow > workflow.schema.json'],
  help: '\nEditors complete and check files with it. It needs no database.',
  args: [new Argument('[kind]', 'File format').choices(SCHEMA_KINDS).default('bundle')],
  level: 'none',
  run: async ({ io, services }, flags, [kind]) => {
    const text = services.workflowSchema(kind === 'workflow' ? kind : 'bundle');
    const output = createOutput(io, flags);
    if (output.form === 'json') output.answer(JSON.parse(text), []);
    else io.stdout.write(escapeJson(text));
    return undefined;
  },
};
