import type { z } from 'zod';
import type { Frozen } from '../../foundation/frozen.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { ClaimsPreview, ClaimsTemplate } from './answers.generated.ts';
import type { claimsTemplateBody, previewClaimsBody } from './bodies.ts';

export type ClaimsTemplateInput = Frozen<z.input<typeof claimsTemplateBody>>;
export type PreviewClaimsInput = Frozen<z.input<typeof previewClaimsBody>>;

type Call = { readonly actor?: string | undefined };

/** Claims templates. Every function throws `tier_required` without the feature `jwtClaims`. */
export type ClaimsApi = {
  /** The claims template of an environment. */
  getClaimsTemplate(scope: Scope): Promise<ClaimsTemplate>;
  /**
   * Replaces the claims template. Access tokens that are issued afterwards have the claims. Throws VALIDATION_ERROR, with
   * the reason `reserved_claim` for a claim that Beckon sets.
   */
  updateClaimsTemplate(scope: Scope, input: ClaimsTemplateInput, call?: Call): Promise<ClaimsTemplate>;
  /** Removes the claims template. Does nothing if there is none. */
  deleteClaimsTemplate(scope: Scope, call?: Call): Promise<ClaimsTemplate>;
  /** Renders a template without storing it. Throws VALIDATION_ERROR, NOT_FOUND. */
  previewClaims(scope: Scope, input?: PreviewClaimsInput): Promise<ClaimsPreview>;
};
