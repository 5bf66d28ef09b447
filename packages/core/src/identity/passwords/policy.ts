export type PasswordPolicy = {
  /** Why a new password is refused, as the message of its field; null: it is accepted. */
  check(input: { readonly password: string; readonly emailNorm: string | null; readonly minLength: number }): Promise<string | null>;
};
