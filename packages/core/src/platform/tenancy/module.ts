import { sealedSecrets } from './sealed.ts';
import { type SecretParts, type WorkflowSecrets, workflowSecrets } from './secrets/workflow-secrets.ts';

/**
 * Secrets of projects and workflows. Organizations, projects and API keys are built before it, since the platform has
 * their scopes.
 */
export const secretsModule = ({ storage, tables, clock, keyring }: SecretParts) => {
  const secrets = workflowSecrets({ storage, tables, clock, keyring });
  return {
    name: 'secrets',
    api: secrets.api,
    sealedValues: [sealedSecrets({ storage, tables })],
    internal: secrets satisfies WorkflowSecrets,
  };
};
