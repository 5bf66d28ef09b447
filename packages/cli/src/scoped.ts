// Where a command's operations are carried out: on the database of the configuration, or by a running service.

import type { Scope } from '@beckon/core';
import type { Api } from './api.ts';
import type { CommonFlags, Context } from './command-line.ts';

/** Whose rows an operation is about, and whether it sends to people. */
export type Reach = {
  readonly level?: 'none' | 'database' | 'org' | 'project' | 'environment';
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
  if (flags.url !== undefined) return (await import('./remote/session.ts')).withRemote(context, flags, work);
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

/** `name: value` lines of what there is. */
export const fieldLines = (
  fields: readonly (readonly [name: string, value: string | number | boolean | null])[],
): string[] => fields.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]));
