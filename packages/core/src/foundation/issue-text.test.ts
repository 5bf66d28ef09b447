import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { issueText } from './issue-text.ts';

const textOf = (schema: z.ZodType, value: unknown): string | undefined =>
  schema.safeParse(value).error?.issues.map(issueText).join('; ');

describe('issueText', () => {
  it.each<[string, z.ZodType, unknown]>([
    ['is required', z.string(), undefined],
    ['is required', z.union([z.string(), z.array(z.string())]), undefined],
    ['must be a string', z.string(), 1],
    ['must be a number', z.number(), 'one'],
    ['must be a whole number', z.int(), 1.5],
    ['must be true or false', z.boolean(), 'yes'],
    ['must be a list', z.array(z.string()), {}],
    ['must be an object', z.object({}), []],
    ['must not be empty', z.string().min(1), ''],
    ['must not be empty', z.array(z.string()).min(1), []],
    ['must have at least 3 characters', z.string().min(3), 'a'],
    ['must have at most 1 character', z.string().max(1), 'ab'],
    ['must have exactly 2 items', z.array(z.string()).length(2), []],
    ['must be at least 1', z.number().min(1), 0],
    ['must be more than 3', z.number().gt(3), 3],
    ['must be at most 5', z.number().max(5), 6],
    ['must be one of a, b', z.enum(['a', 'b']), 'c'],
    ['must be a', z.literal('a'), 'c'],
    ['must be an email address', z.email(), 'x'],
    ['must be a URL', z.url(), 'x'],
    ['has the wrong format', z.string().regex(/a/), 'x'],
    ['must be a multiple of 2', z.number().multipleOf(2), 3],
    ['has none of the allowed types', z.union([z.string(), z.number()]), null],
    ['is not valid', z.custom(() => false), 1],
  ])('issueText returns "%s"', (text, schema, value) => {
    expect(textOf(schema, value)).toBe(text);
  });

  it('issueText keeps a message of the schema', () => {
    expect(textOf(z.string('must be a name'), 1)).toBe('must be a name');
    expect(
      textOf(
        z.string().refine(() => false, 'is taken'),
        'x',
      ),
    ).toBe('is taken');
  });
});
