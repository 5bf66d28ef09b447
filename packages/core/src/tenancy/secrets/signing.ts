import type { ProjectNames } from '../../primitives/scope.ts';
import type { SecretName } from './store.ts';

/** Bytes of a signing secret. Source: Standard Webhooks (24 to 64). */
const SIGNING_SECRET_BYTES = 32;

/** Where a project's signing secret lies; one serves both environments. */
export const signingName = ({ orgId, projectId }: ProjectNames): SecretName => ({
  orgId,
  projectId,
  environment: '',
  name: 'signing',
});

/** The name beside it of the one before, with the end of its time. */
export const PREVIOUS_SIGNING = 'signing.previous';

/** A new signing secret. */
export const whsec = (randomBytes: (size: number) => Uint8Array): string =>
  `whsec_${Buffer.from(randomBytes(SIGNING_SECRET_BYTES)).toString('base64')}`;
