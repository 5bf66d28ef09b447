import type { SettingsProblem } from '../port.ts';
import { DISPLAY_NAME_RULE, isAddress, isDisplayName } from '../smtp/settings.ts';

/** The default sender and its display name. */
export type SenderSettings = { readonly from?: string | undefined; readonly name?: string | undefined };

const KEY = /^[\x21-\x7e]{1,1024}$/;

/** True for one line of printable ASCII without spaces, as keys and tokens are. */
export const isKey = (value: unknown): boolean => typeof value === 'string' && KEY.test(value);

/** The problems of fields whose rule fails. Throws nothing. */
export const problemsOf = (
  { from, name }: SenderSettings,
  rules: readonly (readonly [field: string, isKept: boolean, message: string])[],
): readonly SettingsProblem[] =>
  [
    ...rules,
    ['from', from === undefined || isAddress(from), 'The sender must be one address.'] as const,
    ['name', name === undefined || isDisplayName(name), DISPLAY_NAME_RULE] as const,
  ].flatMap(([field, isKept, message]) => (isKept ? [] : [{ field, message }]));
