import { mailAddress } from '../../foundation/email-address.ts';

/** An email address of an account. */
export type AccountEmail = {
  /** As it is stored and sent to: the local part in the user's spelling. */
  readonly email: string;
  /** Key of the account: one account per scope has it. */
  readonly emailNorm: string;
};

/** Invisible characters, such as a zero-width space: two addresses that look alike would be two accounts. */
const FORMAT_CHARACTER = /\p{Cf}/u;
/** Input that may still hold an address: 254 octets, white space around it, and decomposed letters. */
const MAX_INPUT_CHARACTERS = 1_024;

/**
 * Reads the email address of an account: Unicode NFC, without white space around it, the domain in punycode. The key is in
 * lower case; dots and `+tags` remain, since only a provider knows what they mean. Send to `email` of the stored account,
 * never to the text of a request: different texts may have the same key.
 *
 * @returns null for controls, invisible characters, quotes, comments, literal IP domains, and more octets than RFC 5321
 * allows. Throws nothing. Source: authentication design, E-mail normalisation.
 */
export const accountEmailOf = (input: unknown): AccountEmail | null => {
  if (typeof input !== 'string' || input.length > MAX_INPUT_CHARACTERS) return null;
  const email = mailAddress(input.normalize('NFC'));
  if (email === null || FORMAT_CHARACTER.test(email)) return null;
  // Lower case may need more octets, and may be decomposed.
  const emailNorm = mailAddress(email.toLowerCase().normalize('NFC'));
  return emailNorm === null ? null : { email, emailNorm };
};

/** Google ignores dots in the local part, and has two domains for one mailbox. */
const GMAIL = 'gmail.com';
const GMAIL_DOMAINS: ReadonlySet<string> = new Set([GMAIL, 'googlemail.com']);

/**
 * Key of the mailbox that an address most likely reaches, for limits on emails: without `+suffix`, and without dots at
 * Gmail. Wider than the account's key, so never look up an account by it. Throws nothing.
 *
 * @param emailNorm from `accountEmailOf`
 */
export const mailboxKeyOf = (emailNorm: string): string => {
  const at = emailNorm.lastIndexOf('@');
  const [local, domain] = [emailNorm.slice(0, at), emailNorm.slice(at + 1)];
  // A local part that begins with a plus sign has no mailbox without it.
  const plus = local.indexOf('+', 1);
  const bare = plus === -1 ? local : local.slice(0, plus);
  if (!GMAIL_DOMAINS.has(domain)) return `${bare}@${domain}`;
  return `${bare.replaceAll('.', '') || bare}@${GMAIL}`;
};
