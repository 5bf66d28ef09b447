import type { z } from 'zod';
import { fieldErrorsOf, validationError } from '../../foundation/errors.ts';
import { isObject } from '../../foundation/json.ts';
import { type AccountEmail, accountEmailOf } from '../accounts/email-norm.ts';
import { registeredRedirectOf, withRedirectParams } from '../auth-settings/redirect-uris.ts';
import type { AuthSettings } from '../auth-settings/schema.ts';
import { requireStorable } from '../auth-settings/stored-text.ts';
import { challengeHint } from '../one-time/pkce.ts';
import { redirectNotAllowed } from '../shapes/errors.ts';

/** Parses a body. Throws VALIDATION_ERROR. */
export const parseBody = <Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> => {
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw validationError(fieldErrorsOf(parsed.error));
  if (isObject(parsed.data)) requireStorable(parsed.data);
  return parsed.data;
};

/** Reads the address of a field. Throws VALIDATION_ERROR. */
export const emailIn = (text: string, field = 'email'): AccountEmail => {
  const address = accountEmailOf(text);
  if (address === null) throw validationError({ [field]: ['must be an email address such as ann@example.com'] });
  return address;
};

/** The page that a link opens: the requested one, else the first of the settings. Throws VALIDATION_ERROR. */
export const redirectOf = (requested: string | undefined, { redirectUris }: AuthSettings): string | null => {
  if (requested === undefined) return redirectUris[0] ?? null;
  const target = registeredRedirectOf(requested, redirectUris);
  if (target === null) throw redirectNotAllowed();
  return target;
};

/** The link of an email; null: the project has no page for it, and the email shows a code only. Throws nothing. */
export const linkOf = (
  target: string | null,
  { token, codeChallenge = null }: { readonly token: string | null; readonly codeChallenge?: string | null },
): string | null =>
  target === null || token === null
    ? null
    : withRedirectParams(target, { token, ...(codeChallenge !== null && { c: challengeHint(codeChallenge) }) });
