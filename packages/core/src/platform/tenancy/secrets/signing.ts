import type { ProjectNames } from '../../../foundation/scope.ts';
import type { SecretName } from './store.ts';

/** Where a project's signing secret lies; one serves both environments. */
export const signingName = ({ orgId, projectId }: ProjectNames): SecretName => ({
  orgId,
  projectId,
  environment: '',
  name: 'signing',
});

/** The name beside it of the one before, with the end of its time. */
export const PREVIOUS_SIGNING = 'signing.previous';
