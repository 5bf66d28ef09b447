// Made of the schemas in answers.ts by `npm run openapi`.

import type { SignedUp, TokenSet } from '../shapes/answers.generated.ts';

/** An address to verify, or with the code of a redirect tokens of the same session. */
export type GuestUpgraded = SignedUp | TokenSet;

/** An email with a code was requested. */
export interface AuthChallengeSent {
  /** Always true, whether the address has an account or not. */
  readonly sent: true;
  /** Send it with the code of the email. */
  readonly challengeId: string;
}

/** The types of this module's answers, by their names. */
export interface Answers {
  readonly GuestUpgraded: GuestUpgraded;
  readonly AuthChallengeSent: AuthChallengeSent;
}
