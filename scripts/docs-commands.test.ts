import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { commandsIn, helpExamples, refusalOf } from './docs-commands.ts';

const PAGES = globSync(['README.md', '{packages,examples}/*/README.md', 'docs/**/*.md'], {
  exclude: (path) => path.includes('node_modules') || path.includes('reference') || path.includes('.vitepress'),
});

describe('commands in the documentation', () => {
  it("the CLI's parser accepts every command on a page", async () => {
    const refused: string[] = [];
    let parsed = 0;
    for (const page of PAGES)
      for (const { line, argv, isInline } of commandsIn(readFileSync(page, 'utf8'))) {
        parsed += 1;
        const refusal = await refusalOf(argv, isInline);
        if (refusal !== null) refused.push(`${page}:${line} beckon ${argv.join(' ')}: ${refusal}`);
      }
    expect(refused).toEqual([]);
    // Far fewer would mean that the pages are no longer read.
    expect(parsed).toBeGreaterThan(150);
  });

  it("the CLI's parser accepts every example of --help", async () => {
    const examples = helpExamples();
    expect(examples.length).toBeGreaterThan(5);
    for (const argv of examples) expect([argv.join(' '), await refusalOf(argv, false)]).toEqual([argv.join(' '), null]);
  });

  it('commands are found after launchers, in substitutions, over several lines and in sentences', () => {
    const page = [
      'Run `beckon keys create|list` and `beckon sends show ID ...`.',
      '```bash',
      'cd beckon && git clone beckon',
      "ID=$(npx beckon sends list --json | node -p 'x|y')",
      "printf 'a | beckon no' | sudo beckon secrets set A \\",
      '  --env prod > out.txt # beckon comment',
      'ExecStart=/srv/.bin/beckon serve',
      '```',
      '```ts',
      'beckon not this',
      '```',
    ].join('\n');
    expect(commandsIn(page).map(({ line, argv, isInline }) => [line, argv.join(' '), isInline])).toEqual([
      [4, 'sends list --json', false],
      [5, 'secrets set A --env prod', false],
      [7, 'serve', false],
      [1, 'keys create', true],
      [1, 'keys list', true],
      [1, 'sends show ID', true],
    ]);
  });

  it('a command with an unknown option, argument or name is rejected, and an incomplete one outside of a sentence', async () => {
    expect(await refusalOf(['sends', 'list', '--nope'], true)).toContain("unknown option '--nope'");
    expect(await refusalOf(['providers', 'test', 'email'], true)).toContain('email');
    expect(await refusalOf(['nothing'], true)).toContain('unknown command');
    expect(await refusalOf(['sends', 'show'], false)).toContain('missing required argument');
    expect(await refusalOf(['sends', 'show'], true)).toBeNull();
    expect(await refusalOf(['sends', 'show', 'x', '--env', 'test'], false)).toBeNull();
  });
});
