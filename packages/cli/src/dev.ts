import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Beckon } from '@beckon/core';
import { type Config, DEV_KEY_FILE, sqliteFile } from './config.ts';
import { welcomeBundle } from './examples/welcome-bundle.ts';
import type { Services } from './services.ts';
import { isReadableByOthers } from './sources.ts';
import { createTenant, DEFAULT_ORG, DEFAULT_PROJECT, type Tenant } from './tenant.ts';

/**
 * Creates the folder of `serve --dev`, private to its owner, and its master key. Existing files stay.
 *
 * @returns the configuration with the master key of the folder
 */
export const prepareDevFolder = async (config: Config, services: Pick<Services, 'newMasterKey'>): Promise<Config> => {
  const { dataDir } = config;
  if (!existsSync(dataDir)) mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  if (isReadableByOthers(dataDir)) chmodSync(dataDir, 0o700);
  const file = sqliteFile(config.db);
  if (file !== null) mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  if (config.masterKey !== undefined) return config;
  const masterKey = await services.newMasterKey();
  // Never overwrites a key: without it the secrets in the database are unreadable.
  writeFileSync(join(dataDir, DEV_KEY_FILE), `${masterKey}\n`, { flag: 'wx', mode: 0o600 });
  return { ...config, masterKey };
};

/** What the first start created. `tenant` is null if it existed before. */
export type Seeded = { readonly tenant: Tenant | null; readonly hasImported: boolean };

/** Creates an organization with keys in an empty database, and the example workflow in a project without workflows. */
export const seed = async (beckon: Beckon): Promise<Seeded> => {
  const { tenancy, workflows } = beckon;
  const isEmpty = (await tenancy.listOrgs({ limit: 1 })).data.length === 0;
  const tenant = isEmpty ? await createTenant(beckon, { org: DEFAULT_ORG, project: DEFAULT_PROJECT }) : null;
  const [project, ...others] = (await tenancy.listProjects({ limit: 2 })).data;
  if (!project || others.length > 0) return { tenant, hasImported: false };
  const scope = await tenancy.project({ orgId: project.orgId, projectId: project.id });
  const { bundle } = await workflows.exportBundle(scope);
  if (bundle.workflows.length > 0) return { tenant, hasImported: false };
  await workflows.importBundle(scope, welcomeBundle);
  return { tenant, hasImported: true };
};
