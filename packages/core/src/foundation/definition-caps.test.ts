import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DEFINITION_CAPS } from './definition-caps.ts';

const GUIDE = new URL('../../../../docs/guides/plans-and-limits.md', import.meta.url);

describe('definition caps', () => {
  it('the guide to plans and limits lists every cap with its number', () => {
    const rows = readFileSync(GUIDE, 'utf8').split('\n');
    for (const { name, max } of Object.values(DEFINITION_CAPS))
      expect(rows.find((row) => row.startsWith(`| \`${name}\` |`))).toContain(max.toLocaleString('en-US'));
  });

  it('the text of every cap states its number and a remedy', () => {
    for (const { rule, remedy, max } of Object.values(DEFINITION_CAPS)) {
      expect(rule).toContain(String(max));
      expect(remedy).toMatch(/ first\.$/);
    }
  });
});
