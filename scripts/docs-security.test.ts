import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** Titles of tests that a page names: a quoted last cell of a row. */
const titlesIn = (page: string): string[] => [...page.matchAll(/\| "([^"]+)" \|$/gm)].map(([, title = '']) => title);

describe('the security page of sign-in', () => {
  const page = readFileSync('docs/guides/sign-in-security.md', 'utf8');
  const tests = globSync('packages/*/{src,test}/**/*.test.ts')
    .filter((file) => !file.includes('node_modules'))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');

  it('every protection names a test that exists', () => {
    const titles = titlesIn(page);
    expect(
      titles.filter((title) => !["'", '"', '`'].some((quote) => tests.includes(`${quote}${title}${quote}`))),
    ).toEqual([]);
    expect(titles.length).toBeGreaterThan(40);
  });

  it('no row of a threat is without a test', () => {
    const rows = page.split('## What you do')[0]?.match(/^\| (?!threat)[^-].*\|$/gm) ?? [];
    expect(rows).toHaveLength(titlesIn(page).length);
  });
});
