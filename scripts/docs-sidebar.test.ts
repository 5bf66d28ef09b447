import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Pages about the code are for contributors, and the reference is generated. */
const OUTSIDE = /^(?:internals|reference|\.vitepress)\//;

describe('pages of the documentation', () => {
  it('every page is in the sidebar', () => {
    const sidebar = read('docs/.vitepress/config.mts').split('sidebar: [')[1] ?? '';
    const pages = globSync('**/*.md', { cwd: join(root, 'docs') }).filter((page) => !OUTSIDE.test(page));
    const missing = pages.filter((page) => !sidebar.includes(`'/${page.replace(/\.md$/, '')}'`));
    expect(missing).toEqual([]);
    expect(pages.length).toBeGreaterThan(50);
  });

  it('the comparison page has the table of the README', () => {
    const table = /^\| \| Beckon \|[\s\S]+?\n(?=\n)/m;
    const [shown = ''] = table.exec(read('README.md')) ?? [];
    expect(shown.split('\n').length).toBeGreaterThan(8);
    expect(read('docs/comparison.md')).toContain(shown);
  });
});
