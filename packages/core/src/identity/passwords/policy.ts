import { commonPasswords } from './common.ts';

/** Fewest characters of a password. Source: auth settings, `password.minLength`. */
export const MIN_PASSWORD_CHARACTERS = 8;
/** Most characters of a password. Chosen: above any passphrase; a request body could otherwise be one password. */
export const MAX_PASSWORD_CHARACTERS = 1_024;

export type PasswordCheck = {
  /** As received: nothing is trimmed or normalised. */
  readonly password: string;
  /** Address of the account; null if it has none. */
  readonly email: string | null;
  /** Fewest characters in this scope; 8 at least. */
  readonly minLength: number;
  /** Finds a password in the operator's breach list; null if there is no list. */
  readonly breached: ((password: string) => Promise<boolean>) | null;
};

/** Counts characters as Unicode code points, so that an emoji is one or a few, and never more than it shows. */
const isLongerThan = (text: string, max: number): boolean => text.length > 2 * max || [...text].length > max;

/**
 * Checks a new password. There are no composition rules: they make passwords worse. Source: OWASP ASVS 5.0, 6.2.
 *
 * @returns null for an acceptable password, else a message for `fieldErrors.password`. Throws what `breached` throws.
 */
export const checkPassword = async (check: PasswordCheck): Promise<string | null> => {
  const { password, email, breached } = check;
  const minLength = Math.max(MIN_PASSWORD_CHARACTERS, check.minLength);
  if (isLongerThan(password, MAX_PASSWORD_CHARACTERS)) return `must have at most ${MAX_PASSWORD_CHARACTERS} characters`;
  if (!isLongerThan(password, minLength - 1)) return `must have at least ${minLength} characters`;
  if (email !== null && password.toLowerCase() === email.toLowerCase()) return 'must not be the email address';
  if ((await commonPasswords()).has(password)) return 'is too common. Choose a password that is not widely used';
  if (breached !== null && (await breached(password)))
    return 'appeared in a data breach. Choose a password that you use nowhere else';
  return null;
};
