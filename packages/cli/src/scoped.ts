// Runs operations of a command on the configured database or on a running server.

import type { Scope } from '@beckon/core';
import type { Api } from './api.ts';
import type { CommonFlags, Context } from './command-line.ts';
import { allRows } from './listing.ts';

/** The scope of an operation, and whether it sends messages. */
export type Reach = {
  readonly level?: 'none' | 'database' | 'org' | 'project' | 'environment';
  /** Default environment, if it is not that of the configuration. */
  readonly environment?: 'prod' | 'test';
  readonly isSending?: boolean;
};

/**
 * Runs `work` with the operations of the selected environment, project or organization: on the database, or on the
 * server of `--url`. Throws CliError.
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
      const { id: orgId } = pickOrg(await allRows(beckon.tenancy.listOrgs), flags.org);
      // Safe: operations on an organization use only its id.
      return work(localApi(beckon, { orgId, environment: 'prod' } as Scope));
    }
    // Project-level resources apply to both environments, so any environment works.
    const usual = environment ?? (level === 'project' ? 'prod' : undefined);
    const chosen = flags.env ?? usual ?? requireEnvironment(flags, config, isSending);
    return work(localApi(beckon, await environmentScope(beckon, flags, chosen)));
  });
};

/** `name: value` lines of fields that are not null. */
export const fieldLines = (
  fields: readonly (readonly [name: string, value: string | number | boolean | null])[],
): string[] => fields.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]));
