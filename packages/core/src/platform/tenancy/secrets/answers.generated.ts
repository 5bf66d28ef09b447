// Made of the schemas in answers.ts by `npm run openapi`.

/** A secret of workflows, without its value. */
export interface WorkflowSecret {
  /** Name of the secret; workflows read it as `{{secret.NAME}}`. */
  readonly name: string;
  /** When the value was last set. */
  readonly updatedAt: Date;
}

/** A removed secret. */
export interface SecretRemoved {
  /** Name of the removed secret. */
  readonly name: string;
}

/** The types of this module's answers, by their names. */
export interface Answers {
  readonly WorkflowSecret: WorkflowSecret;
  readonly SecretRemoved: SecretRemoved;
}
