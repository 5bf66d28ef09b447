// What commands about rows of one environment, or about definitions of one project, have in common.

import type { Beckon, ProjectScope, Scope } from '@beckon/core';
import type { Api } from './api.ts';
import type { CommonFlags, Context } from './command-line.ts';
import type { ExitCode } from './exit-codes.ts';

type Done = ExitCode | undefined;

/** Whose rows an operation is about, and whether it sends to people. */
export type Reach = {
  readonly level?: 'database' | 'org' | 'project' | 'environment';
  /** The environment without `--env`, where it is not the configuration's. */
  readonly environment?: 'prod' | 'test';
  readonly isSending?: boolean;
};

/**
 * Runs `work` with the operations of the environment, the project or the org that the flags name: on the database, or on
 * the running service of `--url`. Throws CliError.
 */
export const inApi = async <T>(
  context: Context,
  flags: CommonFlags,
  { level = 'environment', environment, isSending }: Reach,
  work: (api: Api) => Promise<T>,
): Promise<T> => {
  if (flags.url !== undefined) return (await import('./remote/session.ts')).withRemoteApi(context, flags, work);
  const { environmentScope, pickOrg, requireEnvironment, withBeckon } = await import('./session.ts');
  const { localApi } = await import('./api.ts');
  return withBeckon(context, flags, async (beckon, config) => {
    if (level === 'org') {
      const { id: orgId } = pickOrg(await beckon.tenancy.listOrgs(), flags.org);
      // Safe: an operation of an org looks at its id alone.
      return work(localApi(beckon, { orgId, environment: 'prod' } as Scope));
    }
    // A definition serves both environments of its project.
    const usual = environment ?? (level === 'project' ? 'prod' : undefined);
    const chosen = flags.env ?? usual ?? requireEnvironment(flags, config, isSending);
    return work(localApi(beckon, await environmentScope(beckon, flags, chosen)));
  });
};

/**
 * Runs `work` in the environment that the flags name, or in the default one. Throws CliError.
 *
 * @param isSending the command sends messages to people, which in `prod` takes `--env prod`
 */
export const inEnvironment = async (
  context: Context,
  flags: CommonFlags,
  work: (beckon: Beckon, scope: Scope) => Promise<Done>,
  { isSending = false }: { readonly isSending?: boolean } = {},
): Promise<Done> => {
  if (flags.url !== undefined) return (await import('./remote/session.ts')).withRemote(context, flags, work);
  const { environmentScope, requireEnvironment, withBeckon } = await import('./session.ts');
  return withBeckon(context, flags, async (beckon, config) => {
    const environment = requireEnvironment(flags, config, isSending);
    return work(beckon, await environmentScope(beckon, flags, environment));
  });
};

/** Runs `work` in the project that the flags name. Throws CliError. */
export const inProject = async <T>(
  context: Context,
  flags: CommonFlags,
  work: (beckon: Beckon, scope: ProjectScope) => Promise<T>,
): Promise<T> => {
  if (flags.url !== undefined) return (await import('./remote/session.ts')).withRemote(context, flags, work);
  const { projectScope, withBeckon } = await import('./session.ts');
  return withBeckon(context, flags, async (beckon) => work(beckon, await projectScope(beckon, flags)));
};

/** `name: value` lines of what there is. */
export const fieldLines = (
  fields: readonly (readonly [name: string, value: string | number | boolean | null])[],
): string[] => fields.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]));
