// Made of the schemas in answers.ts by `npm run openapi`.

/** An email with a code was requested. */
export interface AuthChallengeSent {
  /** Always true, whether the address has an account or not. */
  readonly sent: true;
  /** Send it with the code of the email. */
  readonly challengeId: string;
}

/** The types of this module's answers, by their names. */
export interface Answers {
  readonly AuthChallengeSent: AuthChallengeSent;
}
