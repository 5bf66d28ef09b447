// Reads the identity from what each provider states about a user. An email address counts as verified only where the provider
// says so with the boolean true: some send the text "false", and some say nothing.

import { truncateObject } from '../../foundation/truncate.ts';
import { accountEmailOf } from '../accounts/email-norm.ts';
import type { SocialProvider } from '../auth-settings/social-providers.ts';

/** Bytes of JSON that are stored of the claims of a provider. Source: authentication design, Tables. */
export const MAX_RAW_BYTES = 8_192;
/** Chosen: characters of a subject and of a name. Providers use at most 255 for a subject (OpenID Connect Core, 2). */
const MAX_SUBJECT_CHARACTERS = 255;
const MAX_NAME_CHARACTERS = 200;

/** What a provider states about a user: the claims of an ID token, or an answer of its API. */
export type Claims = Readonly<Record<string, unknown>>;

/** A user at a provider. `issuer` and `subject` together never change and never belong to two users. */
export type SocialIdentity = {
  readonly provider: SocialProvider;
  readonly issuer: string;
  readonly subject: string;
  /** As `accountEmailOf` returns it; null if the provider states none, or an invalid one. */
  readonly email: string | null;
  /** False without an email address. */
  readonly emailVerified: boolean;
  readonly name: string | null;
  /** The provider's claims, at most 8 KB. */
  readonly raw: Claims;
};

/** Where the fields of an identity are in the claims of one provider. */
export type IdentityFields = {
  readonly subject: unknown;
  readonly email?: unknown;
  readonly isEmailVerified?: boolean;
  readonly name?: unknown;
};

const subjectOf = (value: unknown): string | null => {
  // GitHub's ids are numbers.
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  return typeof text === 'string' && text !== '' && text.length <= MAX_SUBJECT_CHARACTERS ? text : null;
};

/** A display name: without controls, cut to 200 characters; null without text. Throws nothing. */
export const displayNameOf = (value: unknown): string | null => {
  const text =
    typeof value === 'string'
      ? value
          .toWellFormed()
          .replaceAll(/\p{Cc}/gu, '')
          .trim()
      : '';
  return text === '' ? null : Array.from(text).slice(0, MAX_NAME_CHARACTERS).join('');
};

/** The identity of these fields; null without a subject. Throws nothing. */
export const identityOf = (
  provider: SocialProvider,
  issuer: string,
  { subject, email, isEmailVerified = false, name }: IdentityFields,
  claims: Claims,
): SocialIdentity | null => {
  const id = subjectOf(subject);
  if (id === null) return null;
  const address = accountEmailOf(email)?.email ?? null;
  // The values of one sign-in are of no use later.
  const { nonce: _nonce, at_hash: _atHash, c_hash: _codeHash, ...raw } = claims;
  return {
    provider,
    issuer,
    subject: id,
    email: address,
    emailVerified: address !== null && isEmailVerified,
    name: displayNameOf(name),
    raw: truncateObject(raw, MAX_RAW_BYTES),
  };
};
