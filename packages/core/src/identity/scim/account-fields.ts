import { phoneNumber } from '../../foundation/phone-number.ts';
import { type AccountEmail, accountEmailOf } from '../accounts/email-norm.ts';
import { elementsOf, isScimObject, type ScimObject, type ScimValue } from './documents.ts';
import { foldText } from './filter/compare.ts';
import { preferredValue } from './responses.ts';
import type { ScimUserValues } from './scim.ts';
import { refused } from './scim-error.ts';
import type { FoldedEmail } from './tables.ts';

/** Source: bodies of users. */
const MAX_NAME = 256;
const MAX_LOCALE = 64;
/** Characters of names that are indexed. Chosen: above any identity provider's. */
const MAX_INDEXED = 512;

const textOf = (value: ScimValue | undefined): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value : null;
const foldedOf = (value: ScimValue | undefined): string | null => (typeof value === 'string' ? foldText(value) : null);

const indexed = (name: string, text: string | null): string | null => {
  if (text !== null && text.length > MAX_INDEXED) {
    throw refused('invalidValue', `${name} has more than ${MAX_INDEXED} characters`);
  }
  return text;
};

const foldedEmail = ({ value, type, primary }: ScimObject): FoldedEmail => ({
  ...(typeof value === 'string' && { value: foldText(value) }),
  ...(typeof type === 'string' && { type: foldText(type) }),
  ...(typeof primary === 'boolean' && { primary }),
});

/**
 * The columns of a user's attributes. A user without `active` stays as it was.
 *
 * @throws ScimError invalidValue for a name of more than 512 characters
 */
export const userValuesOf = (document: ScimObject, wasActive: boolean): ScimUserValues => {
  const active = document.active === undefined ? wasActive : document.active === true;
  const userName = indexed('userName', textOf(document.userName)) ?? '';
  return {
    ...{ userName, userNameNorm: foldText(userName), active },
    externalId: indexed('externalId', typeof document.externalId === 'string' ? document.externalId : null),
    displayNameNorm: indexed('displayName', foldedOf(document.displayName)),
    emails: elementsOf(document.emails).map(foldedEmail),
    document: { ...document, active },
  };
};

/**
 * The email address of the account: the preferred one of `emails`, else a `userName` that is an address.
 *
 * @throws ScimError invalidValue for a preferred address that is none
 */
export const emailOf = (document: ScimObject): AccountEmail | null => {
  const preferred = preferredValue(document, 'emails');
  if (preferred === null) return accountEmailOf(document.userName);
  const email = accountEmailOf(preferred);
  if (email === null) throw refused('invalidValue', 'emails has a value that is no email address');
  return email;
};

const nameOf = ({ displayName, name }: ScimObject): string | null => {
  const parts = isScimObject(name) ? name : {};
  const joined = [parts.givenName, parts.familyName].flatMap((part) => textOf(part) ?? []).join(' ');
  return textOf(displayName) ?? textOf(parts.formatted) ?? textOf(joined);
};

const short = (text: string | null, most: number): string | null => (text === null || text.length > most ? null : text);

/** What an account takes from the attributes; a value that they lack, or that accounts do not allow, is left out. */
export const accountFieldsOf = (
  document: ScimObject,
): {
  readonly name?: string;
  readonly locale?: string;
  readonly timezone?: string;
  readonly phone?: string;
} => {
  const name = nameOf(document)?.slice(0, MAX_NAME).toWellFormed() ?? null;
  const locale = short(textOf(document.preferredLanguage) ?? textOf(document.locale), MAX_LOCALE);
  const timezone = short(textOf(document.timezone), MAX_LOCALE);
  const phone = phoneNumber(preferredValue(document, 'phoneNumbers') ?? '');
  return {
    ...(name !== null && { name }),
    ...(locale !== null && { locale }),
    ...(timezone !== null && { timezone }),
    ...(phone !== null && { phone }),
  };
};
