import type { Platform } from '../platform.ts';
import { sealedSecrets } from './sealed.ts';
import { type WorkflowSecrets, workflowSecrets } from './secrets/workflow-secrets.ts';
import type { TenancyTables } from './tables.ts';

/**
 * Secrets of projects and of workflows. Orgs, projects and API keys are no part of it: the platform is built from them,
 * since it has their scopes and data keys.
 */
export const secretsModule = ({ storage, tables, clock, keyring }: Platform<TenancyTables>) => {
  const secrets = workflowSecrets({ storage, tables, clock, secrets: keyring });
  return {
    name: 'secrets',
    api: secrets.api,
    sealedValues: [sealedSecrets({ storage, tables })],
    internal: secrets satisfies WorkflowSecrets,
  };
};
