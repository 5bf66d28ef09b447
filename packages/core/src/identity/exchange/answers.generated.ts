// Made of the schemas in answers.ts by `npm run openapi`.

import type { AuthResult } from '../shapes/answers.generated.ts';

/** An identity of a user at a provider. */
export interface Identity {
  /** Identity id. */
  readonly id: string;
  /** Social provider, or the protocol of a connection. */
  readonly provider: string;
  /** Connection of an organization's own provider; null if social. */
  readonly connectionId: string | null;
  /** The provider's id of the user. */
  readonly subject: string;
  /** Email address as the provider states it; null if none. */
  readonly email: string | null;
  /** Whether the provider states that the user owns the address. */
  readonly emailVerified: boolean;
  /** When the identity was linked. */
  readonly linkedAt: Date;
}

/** Result of linking an identity. */
export interface IdentityLinked {
  /** The identity that was linked. */
  readonly linked: Identity;
}

/** Result of unlinking an identity. */
export interface IdentityUnlinked {
  /** The identity is no longer linked. */
  readonly unlinked: true;
}

/** The result of the sign-in; for a link, the linked identity. */
export type CodeExchanged = AuthResult | IdentityLinked;

/** The types of this module's answers, by their names. */
export interface Answers {
  readonly Identity: Identity;
  readonly IdentityLinked: IdentityLinked;
  readonly IdentityUnlinked: IdentityUnlinked;
  readonly CodeExchanged: CodeExchanged;
}
