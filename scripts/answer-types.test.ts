import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { answerTypes } from './answer-types.ts';

describe('answer types', () => {
  // `npm run openapi` writes them.
  it.for(answerTypes())('generated types match the schemas: $file', ({ file, text }) => {
    expect(readFileSync(file, 'utf8') === text).toBe(true);
  });
});
