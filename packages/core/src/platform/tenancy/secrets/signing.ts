import type { ProjectNames } from '../../../foundation/scope.ts';
import type { SecretName } from './store.ts';

/** The name of a project's signing secret, which serves both environments. */
export const signingName = ({ orgId, projectId }: ProjectNames): SecretName => ({
  orgId,
  projectId,
  environment: '',
  name: 'signing',
});

/** The name of the previous secret, stored with its expiry. */
export const PREVIOUS_SIGNING = 'signing.previous';
