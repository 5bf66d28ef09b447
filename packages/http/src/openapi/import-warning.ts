import { type ImportWarning, words } from '@beckon/core';
import { z } from 'zod';
import { answerOf, word } from './wire.ts';

/** What is pointed out in a definition without refusing it. */
export const importWarning = answerOf<ImportWarning>()(
  z.object({ name: z.string(), path: z.string(), code: word(words.importWarnings), message: z.string() }),
);
