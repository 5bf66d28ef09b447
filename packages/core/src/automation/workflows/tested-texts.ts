// Warnings for steps with A/B tests. Pure.

import type { TestTexts } from '../../messaging/ab-tests/tested-texts.ts';
import type { StoredStep } from '../runs/cursor.ts';

/** A localized field, and the fields that it replaces for a language. */
const LANGUAGES: readonly (readonly [localized: string, own: readonly string[]])[] = [
  ['localizedTitle', ['title']],
  ['localizedBody', ['body']],
  ['localized', ['subject', 'text', 'html']],
];

const isFilled = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0;

/** Localized fields of a step that take precedence over variants, with the keys of those variants. Throws nothing. */
export const hiddenIn = (
  { config }: Pick<StoredStep, 'config'>,
  test: TestTexts,
): readonly { readonly field: string; readonly keys: readonly string[] }[] =>
  LANGUAGES.flatMap(([field, own]) => {
    if (!isFilled(config[field])) return [];
    const keys = [...test].flatMap(([key, says]) =>
      own.some((one) => says.has(one)) && !says.has(field) ? [key] : [],
    );
    return keys.length === 0 ? [] : [{ field, keys }];
  });
