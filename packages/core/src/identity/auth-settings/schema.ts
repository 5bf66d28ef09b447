// Sign-in settings of one environment of a project. A change replaces whole groups: members that it leaves out return to
// their defaults.

import { z } from 'zod';
import { isObject } from '../../foundation/json.ts';
import { captchaChange, groups } from './groups.ts';

type Groups = typeof groups;
const groupNames = Object.keys(groups);

/** Settings with all defaults filled in. */
export type AuthSettings = { readonly [Name in keyof Groups]: Readonly<z.output<Groups[Name]>> };

const changeable = <Schema extends z.ZodType>(schema: Schema) =>
  schema
    .nullable()
    .optional()
    .describe(
      `${schema.description ?? ''} Replaces the stored value; omit it to keep it. Null restores the default.`.trim(),
    );

/** Body of a change: groups that it leaves out are kept, and null restores the defaults of a group. */
export const authSettingsChange = z.strictObject({
  signup: changeable(groups.signup),
  password: changeable(groups.password),
  token: changeable(groups.token),
  session: changeable(groups.session),
  redirectUris: changeable(groups.redirectUris),
  anonymous: changeable(groups.anonymous),
  mfa: changeable(groups.mfa),
  linking: changeable(groups.linking),
  passkey: changeable(groups.passkey),
  mail: changeable(groups.mail),
  captcha: changeable(captchaChange),
  profileTraits: changeable(groups.profileTraits),
});
export type AuthSettingsChange = z.output<typeof authSettingsChange>;

/** Settings as they are stored: the groups that were set. */
export type StoredAuthSettings = Readonly<Record<string, unknown>>;

/**
 * Reads stored settings.
 *
 * @param stored value of the row; null without one. A group that its schema no longer accepts counts as not set. Throws
 * nothing.
 */
export const authSettingsOf = (stored: unknown): AuthSettings => {
  const values: StoredAuthSettings = isObject(stored) ? stored : {};
  const read = <Schema extends z.ZodType>(schema: Schema, name: string, unset: unknown): z.output<Schema> => {
    const parsed = schema.safeParse(Object.hasOwn(values, name) ? values[name] : unset);
    return parsed.success ? parsed.data : schema.parse(unset);
  };
  return {
    signup: read(groups.signup, 'signup', {}),
    password: read(groups.password, 'password', {}),
    token: read(groups.token, 'token', {}),
    session: read(groups.session, 'session', {}),
    redirectUris: read(groups.redirectUris, 'redirectUris', []),
    anonymous: read(groups.anonymous, 'anonymous', {}),
    mfa: read(groups.mfa, 'mfa', {}),
    linking: read(groups.linking, 'linking', {}),
    passkey: read(groups.passkey, 'passkey', {}),
    mail: read(groups.mail, 'mail', {}),
    captcha: read(groups.captcha, 'captcha', {}),
    profileTraits: read(groups.profileTraits, 'profileTraits', {}),
  };
};

/** The secret of a captcha is stored apart, sealed. */
const withoutSecret = (value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).filter(([name]) => name !== 'secret')) : value;

/** Applies a parsed change to the stored settings, which are not changed. Throws nothing. */
export const changeAuthSettings = (stored: unknown, change: AuthSettingsChange): StoredAuthSettings => {
  const values = new Map(Object.entries(isObject(stored) ? stored : {}));
  for (const name of groupNames) {
    const value = Object.hasOwn(change, name) ? Reflect.get(change, name) : undefined;
    if (value === null) values.delete(name);
    else if (value !== undefined) values.set(name, name === 'captcha' ? withoutSecret(value) : value);
  }
  return Object.fromEntries(values);
};
