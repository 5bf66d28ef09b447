import type { InScope } from '../../foundation/scope.ts';

/** Senders that email of a scope may use. */
export type SenderRules = {
  /** True if email must come from a verified domain. */
  readonly isRequired: boolean;
  /** False for an address whose domain must be verified and is not. */
  mayBeFrom(address: string): boolean;
};

/** Loads the rules of scopes; at most 10 s old. */
export type LoadSenderRules = (scopes: readonly InScope[]) => Promise<(scope: InScope) => SenderRules>;

export const ANY_SENDER: SenderRules = { isRequired: false, mayBeFrom: () => true };

/** Sender address that a request names; null: none. Throws nothing. */
export const explicitSender = (content: Readonly<Record<string, unknown>>): string | null => {
  const { from } = content;
  const email: unknown = typeof from === 'object' && from !== null ? Reflect.get(from, 'email') : undefined;
  return typeof email === 'string' ? email : null;
};
