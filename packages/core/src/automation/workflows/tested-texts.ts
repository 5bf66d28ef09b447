// What is to be said of steps that name A/B tests. Pure.

import type { TestTexts } from '../../messaging/ab-tests/tested-texts.ts';
import type { StoredStep } from '../runs/cursor.ts';

/** A text in several languages, and the fields that say the same in one. */
const LANGUAGES: readonly (readonly [localized: string, own: readonly string[]])[] = [
  ['localizedTitle', ['title']],
  ['localizedBody', ['body']],
  ['localized', ['subject', 'text', 'html']],
];

const isFilled = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0;

/** Fields of a step whose languages are read in place of what variants say, each with the keys of those. Throws nothing. */
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
