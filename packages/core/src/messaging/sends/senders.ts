import type { InScope } from '../../foundation/scope.ts';

/** Whom mail of a scope may be from. */
export type SenderRules = {
  /** True where mail has to be from a domain that was verified. */
  readonly isRequired: boolean;
  /** False for an address whose domain has to be verified and is not. */
  mayBeFrom(address: string): boolean;
};

/** The rules of each of the scopes; at most 10 s old. */
export type LoadSenderRules = (scopes: readonly InScope[]) => Promise<(scope: InScope) => SenderRules>;

export const ANY_SENDER: SenderRules = { isRequired: false, mayBeFrom: () => true };

/** Whom a mail is from by its request; null: it does not say. Throws nothing. */
export const explicitSender = (content: Readonly<Record<string, unknown>>): string | null => {
  const { from } = content;
  const email: unknown = typeof from === 'object' && from !== null ? Reflect.get(from, 'email') : undefined;
  return typeof email === 'string' ? email : null;
};
