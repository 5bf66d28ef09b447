import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome');

/** The key is the rule that must find the one defect of the text. */
const defects = {
  noFloatingPromises: "import { work } from './fine.ts';\nexport const start = (): void => {\n  work();\n};\n",
  noMisusedPromises: "import { work } from './fine.ts';\nexport const word = (): string => (work() ? 'yes' : 'no');\n",
  noExplicitAny: 'export const read = (value: any): string => String(value);\n',
  noDefaultExport: 'export default 1;\n',
  noReExportAll: "export * from './fine.ts';\n",
  noProcessEnv: "export const home = process.env['HOME'];\n",
  noNonNullAssertion: 'export const first = (list: string[]): string => list[0]!;\n',
  noRestrictedImports: "import { sql } from 'drizzle-orm';\nexport const one = sql`select 1`;\n",
  noImportCycles: "import { other } from './other.ts';\nexport const one = (): number => other();\n",
  noExcessiveLinesPerFile: Array.from({ length: 401 }, (_, line) => `export const line${line} = ${line};\n`).join(''),
} as const;
type Rule = keyof typeof defects;
const rules: readonly Rule[] = Object.keys(defects).filter((name): name is Rule => name in defects);

const fileOf = (rule: Rule): string => `${rule.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.ts`;
const fine = `export const work = async (): Promise<void> => {};
export const run = async (): Promise<void> => {
  await work();
};
`;

describe('lint set-up', () => {
  let folder = '';
  /** File names by the rule that reported them. */
  const flagged = new Map<string, string[]>();

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'beckon-lint-'));
    const write = (path: string, text: string): void => {
      const file = join(folder, 'packages/core/src', path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    };
    copyFileSync('biome.json', join(folder, 'biome.json'));
    write('fine.ts', fine);
    write('profiles/store.ts', defects.noRestrictedImports);
    write('other.ts', "import { one } from './no-import-cycles.ts';\nexport const other = (): number => one();\n");
    for (const rule of rules) write(fileOf(rule), defects[rule]);
    const args = [biome, 'lint', '--reporter=github', '--max-diagnostics=none'];
    const { stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    for (const [, rule = '', file = ''] of stdout.matchAll(/::error title=lint\/\w+\/(\w+),file=([^,]+),/g)) {
      flagged.set(rule, [...(flagged.get(rule) ?? []), basename(file)]);
    }
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(rules)('the linter flags the file with a defect of %s', (rule) => {
    expect(flagged.get(rule)).toContain(fileOf(rule));
  });

  it('the linter accepts an awaited promise', () => {
    expect([...flagged.values()].flat()).not.toContain('fine.ts');
  });

  it('a store may import drizzle-orm', () => {
    expect(flagged.get('noRestrictedImports')).not.toContain('store.ts');
  });
});
