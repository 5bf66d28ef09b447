import type { Page, PageQuery } from '../../../foundation/page.ts';
import type { ProjectScope, Scope } from '../../../foundation/scope.ts';
import type { SecretRemoved, WorkflowSecret } from './answers.generated.ts';

/** Value of a secret. */
export type SecretInput = { readonly value: string };

export type SigningRotation = {
  /** The new `whsec_...`, shown only here. */
  readonly secret: string;
  /** Until when the previous secret also signs; null: it does not. */
  readonly previousUntil: Date | null;
};

/**
 * Secrets that webhook steps may put into their headers, as `{{secret.NAME}}`. Stored sealed, per project and
 * environment; no bundle, list or log contains a value.
 */
export type WorkflowSecretsApi = {
  /** Ordered by name. Throws VALIDATION_ERROR for an invalid limit or cursor. */
  list(scope: Scope, query?: PageQuery): Promise<Page<WorkflowSecret>>;
  /** Creates or replaces a secret. Throws VALIDATION_ERROR. */
  set(scope: Scope, name: string, body: SecretInput): Promise<WorkflowSecret>;
  /** Throws NOT_FOUND. */
  delete(scope: Scope, name: string): Promise<SecretRemoved>;
  /**
   * Replaces the secret that signs the project's webhook steps. The previous one also signs for a while, so that
   * receivers can switch.
   *
   * @param options `graceSeconds`, 0 to 604,800; default one day. Throws VALIDATION_ERROR, and CONFLICT `in_progress`
   * during a concurrent rotation.
   */
  rotateSigning(
    project: ProjectScope,
    options?: { readonly graceSeconds?: number | undefined },
  ): Promise<SigningRotation>;
};
