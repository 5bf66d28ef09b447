import type { Page, PageQuery } from '../../../foundation/page.ts';
import type { ProjectScope, Scope } from '../../../foundation/scope.ts';
import type { SecretRemoved, WorkflowSecret } from './answers.generated.ts';

/** What a secret is set to. */
export type SecretInput = { readonly value: string };

export type SigningRotation = {
  /** The new `whsec_...`, shown here alone. */
  readonly secret: string;
  /** Until when the one before signs along; null: it signs no more. */
  readonly previousUntil: Date | null;
};

/**
 * What webhook steps of workflows may put into their headers, as `{{secret.NAME}}`. Kept sealed, per project and
 * environment; no bundle, list or log ever holds a value.
 */
export type WorkflowSecretsApi = {
  /** By name. Throws VALIDATION_ERROR for a limit or a cursor that there is not. */
  list(scope: Scope, query?: PageQuery): Promise<Page<WorkflowSecret>>;
  /** Sets it, in place of what it held. Throws VALIDATION_ERROR. */
  set(scope: Scope, name: string, body: SecretInput): Promise<WorkflowSecret>;
  /** Throws NOT_FOUND. */
  remove(scope: Scope, name: string): Promise<SecretRemoved>;
  /**
   * Gives the project another secret to sign with what its workflows post. The one before signs along for a while, so
   * that receivers may change over.
   *
   * @param options `graceSeconds`, 0 to 604,800; default a day. Throws VALIDATION_ERROR, and CONFLICT `in_progress`
   * where somebody else does the same.
   */
  rotateSigning(
    project: ProjectScope,
    options?: { readonly graceSeconds?: number | undefined },
  ): Promise<SigningRotation>;
};
