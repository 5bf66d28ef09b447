// `beckon templates pull|push|diff`: templates as a folder of files, for git.

import { resolve } from 'node:path';
import type { Channel } from '@beckon/core';
import { Option } from 'commander';
import type { Answer, Api, RowOf } from '../api.ts';
import { paintLines, paintOf } from '../colour.ts';
import type { CommonFlags, Context } from '../command-line.ts';
import { CliError, EXIT, type ExitCode, usageError } from '../exit-codes.ts';
import { collect } from '../listing.ts';
import { CHANNELS } from '../names.ts';
import { createOutput, formOf } from '../output.ts';
import { whileWaiting } from '../progress.ts';
import { inApi } from '../scoped.ts';
import type { Verb } from '../table/noun.ts';
import { isChange, type Kept, planData, planLines, planOf, type TemplatePlan } from '../template-changes.ts';
import { readTemplates, type Stored, writeTemplates } from '../template-folder.ts';
import { clean } from '../text.ts';

/** Maximum templates per channel. Chosen: more than people manage in a folder. */
const MAX_TEMPLATES = 1_000;

const level = 'project';

type PushFlags = {
  readonly dryRun?: boolean;
  readonly exitCode?: boolean;
  readonly prune?: boolean;
  readonly yes?: boolean;
};

/** Fields of a stored template that files do not contain. */
const ROW = ['id', 'orgId', 'projectId', 'channel', 'name', 'version', 'createdAt', 'updatedAt'];

/** Every template of a project, by channel and name. */
const templatesOf = async (api: Api): Promise<Kept[]> => {
  const all: Kept[] = [];
  for (const channel of CHANNELS) {
    const { rows, hasMore } = await collect<RowOf<`GET /${Channel}/templates`>>(MAX_TEMPLATES, (query) =>
      api.page(`GET /${channel}/templates`, { query }),
    );
    if (hasMore)
      throw new CliError(
        EXIT.invalid,
        `The project has more than ${MAX_TEMPLATES} ${channel} templates, the maximum for a folder.`,
      );
    for (const { id, name, version } of rows) {
      const record = await api.call(`GET /${channel}/templates/{id}`, { params: { id } });
      const content = Object.fromEntries(Object.entries(record).filter(([key]) => !ROW.includes(key)));
      all.push({ id, name, version, channel, folder: null, content });
    }
  }
  return all.sort((a, b) => CHANNELS.indexOf(a.channel) - CHANNELS.indexOf(b.channel) || (a.name < b.name ? -1 : 1));
};

const folderOf = ({ io }: Context, folder: string): Stored[] => readTemplates(resolve(io.cwd, folder));

const counted = (count: number): string => `${count} ${count === 1 ? 'template' : 'templates'}`;

const pull = async (context: Context, flags: CommonFlags, folder: string): Promise<undefined> => {
  const there = folderOf(context, folder);
  const kept = await inApi(context, flags, { level }, (api) =>
    whileWaiting(context.io, flags, 'Reading templates', () => templatesOf(api)),
  );
  const files = writeTemplates(resolve(context.io.cwd, folder), kept, there);
  const { created } = planOf(there, kept);
  const only = created.map(({ channel, name }) => ({ channel, name }));
  createOutput(context.io, flags).answer({ folder, templates: kept.length, files, only }, [
    `Pulled ${counted(kept.length)} into ${folder}: ${files} ${files === 1 ? 'file' : 'files'} changed.`,
    ...only.map(({ channel, name }) => `Only in the folder: ${channel} ${name}`),
  ]);
  return undefined;
};

type TemplateWarning = Answer<`POST /${Channel}/templates`>['warnings'][number];
/** A warning about a saved template. */
type Warned = TemplateWarning & Pick<Kept, 'channel' | 'name'>;

/** Applies a plan, template by template; a failure does not undo earlier templates. Returns the warnings. */
const apply = async (api: Api, plan: TemplatePlan, isPruned: boolean): Promise<Warned[]> => {
  const warned: Warned[] = [];
  const save = async (
    { channel, name }: Pick<Kept, 'channel' | 'name'>,
    work: () => Promise<{ readonly warnings: readonly TemplateWarning[] }>,
  ): Promise<void> => {
    const { warnings } = await naming(channel, name, work);
    warned.push(...warnings.map((warning) => ({ channel, name, ...warning })));
  };
  for (const one of plan.created) {
    // Safe: core validates the body.
    const body = { ...one.content, name: one.name } as never;
    await save(one, () => api.call(`POST /${one.channel}/templates`, { body }));
  }
  for (const { before, after } of plan.updated) {
    const { channel, id, version, name } = before;
    const removed = Object.keys(before.content).filter((field) => !Object.hasOwn(after.content, field));
    // Safe: core validates the body.
    const body = { ...after.content, ...Object.fromEntries(removed.map((field) => [field, null])) } as never;
    // The version makes a concurrent change a conflict.
    const query = { ifMatch: String(version) };
    await save({ channel, name }, () => api.call(`PATCH /${channel}/templates/{id}`, { params: { id }, query, body }));
  }
  for (const { channel, id, version, name } of isPruned ? plan.only : [])
    await naming(channel, name, () =>
      api.call(`DELETE /${channel}/templates/{id}`, { params: { id }, query: { ifMatch: String(version) } }),
    );
  return warned;
};

/** Adds the template to the error message. */
const naming = async <T>(channel: string, name: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error) error.message = `${channel} template ${name}: ${error.message}`;
    throw error;
  }
};

const confirm = async ({ io }: Context, plan: TemplatePlan, isPruned: boolean): Promise<void> => {
  io.stderr.write(`${paintLines(planLines(plan, isPruned).join('\n'), paintOf(io, 'stderr'))}\n`);
  const answer = await io.stdin.prompt('Push these changes? [y/N] ');
  if (!/^y(es)?$/i.test(answer.trim())) throw new CliError(EXIT.negative, 'Nothing was pushed.');
};

const push = async (context: Context, flags: CommonFlags & PushFlags, folder: string): Promise<ExitCode> => {
  const { io } = context;
  const { dryRun = false, exitCode = false, prune = false, yes = false } = flags;
  const canAsk = io.stdin.isTTY && io.stderr.isTTY && formOf(flags) === 'table';
  if (exitCode && !dryRun) throw usageError('--exit-code needs --dry-run.');
  if (exitCode) context.failureCode = EXIT.internal;
  const there = folderOf(context, folder);
  // An empty folder is probably the wrong one, and --prune would delete all templates.
  if (there.length === 0) throw new CliError(EXIT.negative, `${folder} contains no templates.`, { code: 'NOT_FOUND' });
  if (!dryRun && !yes && !canAsk)
    throw new CliError(EXIT.unconfirmed, 'Push needs confirmation.', {
      hint: 'Pass --yes. To see the changes first, pass --dry-run.',
    });
  let warned: readonly Warned[] = [];
  const plan = await inApi(context, flags, { level }, async (api) => {
    const found = planOf(there, await templatesOf(api));
    if (dryRun || !isChange(found, prune)) return found;
    if (!yes) await confirm(context, found, prune);
    warned = await whileWaiting(io, flags, 'Pushing templates', () => apply(api, found, prune));
    return found;
  });
  const done = dryRun ? 'Dry run: nothing was written.' : 'Pushed.';
  const output = createOutput(io, flags);
  output.answer({ ...planData(plan, prune), dryRun, warnings: warned }, [...planLines(plan, prune), done]);
  for (const { channel, name, path, message } of warned)
    output.note(`${channel} template ${clean(name)}${path === null ? '' : ` ${clean(path)}`}: ${clean(message)}`);
  return exitCode && isChange(plan, prune) ? EXIT.negative : EXIT.ok;
};

/** The changes of a push, as text and exit code: 0 same, 1 differs, above 1 an error. */
const diff = async (context: Context, flags: CommonFlags, folder: string): Promise<ExitCode> => {
  context.failureCode = EXIT.internal;
  const there = folderOf(context, folder);
  const plan = await inApi(context, flags, { level }, async (api) => planOf(there, await templatesOf(api)));
  createOutput(context.io, flags).answer(planData(plan, false), planLines(plan, false));
  return isChange(plan, false) ? EXIT.negative : EXIT.ok;
};

const folder = ['[folder]', 'Folder (default: templates)'] as const;
const shared = { level, isRemote: true, args: [folder] } as const;
const DEFAULT_FOLDER = 'templates';

/** `beckon templates pull`. */
export const pullVerb: Verb = {
  ...shared,
  about: 'Download templates to a folder',
  examples: ['', 'templates/'],
  run: (context, flags, [path = DEFAULT_FOLDER]) => pull(context, flags, path),
};

/** `beckon templates push`. */
export const pushVerb: Verb = {
  ...shared,
  about: 'Upload templates from a folder',
  examples: ['--dry-run', 'templates/ --prune --yes'],
  options: [
    new Option('--dry-run', 'Show changes without writing'),
    new Option('--exit-code', 'With --dry-run: exit 1 if there are changes'),
    new Option('--prune', 'Delete templates that are not in the folder'),
    new Option('-y, --yes', 'Skip the confirmation'),
  ],
  run: (context, flags, [path = DEFAULT_FOLDER]) => push(context, flags, path),
};

/** `beckon templates diff`. */
export const diffVerb: Verb = {
  ...shared,
  about: 'Show what a push would change',
  examples: ['templates/'],
  exits: '0 same, 1 differs, above 1 error',
  run: (context, flags, [path = DEFAULT_FOLDER]) => diff(context, flags, path),
};
