import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Place, place } from '../packages/cli/test/beckon.ts';
import { runInProcess } from '../packages/cli/test/in-process.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'examples/recipes');
const RECIPES = globSync('*.json', { cwd: folder })
  .filter((name) => !name.endsWith('.test.json'))
  .map((name) => basename(name, '.json'))
  .toSorted();

describe('workflow recipes', () => {
  let at: Place;
  beforeAll(() => {
    at = place();
  });
  afterAll(() => at.remove());

  it.each(RECIPES)('the bundle %s is valid, and its page shows it with its tests', async (name) => {
    const validated = await runInProcess(at, ['bundle', 'validate', join(folder, `${name}.json`)]);
    expect([validated.code, validated.out]).toEqual([0, '1 workflow, valid\n']);
    const page = readFileSync(join(root, 'docs/recipes', `${name}.md`), 'utf8');
    for (const file of [`${name}.json`, `${name}.test.json`])
      expect(page).toContain(`<<< ../../examples/recipes/${file}{json}\n`);
  });

  it('the tests of every bundle pass', async () => {
    const tested = await runInProcess(at, ['workflows', 'test', folder]);
    expect([tested.code, tested.out]).toEqual([0, expect.stringMatching(/^\d+ passed, 0 failed$/m)]);
    for (const name of RECIPES) expect(tested.out).toContain(`${name}.test.json: `);
    expect(RECIPES.length).toBeGreaterThanOrEqual(5);
  });
});
