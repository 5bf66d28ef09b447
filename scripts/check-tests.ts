import { globSync, readFileSync } from 'node:fs';

const FILES = ['packages/*/{src,test}/**/*.test.ts', 'scripts/**/*.test.ts'];
const CALL =
  /^\s*(?:it|test|describe)(?:\.(?:concurrent|sequential|each|for|extend))*\.(only|skip|skipIf|runIf|todo|fails)\b/;
const TITLE = /^\s*(?:it|test)(?:\.\w+(?:\([^'"`]*\))?)*\(\s*(['"`])((?:\\.|(?!\1).)*)\1/;
const REASON = /\/\/ skip: \S/;

/**
 * Problems in one test file: repeated titles, `.only`, and a skip without `// skip: reason` on its line or the line
 * above.
 *
 * @param text the file's source
 * @returns one sentence per finding with its line number; empty if the file is fine. Throws nothing.
 */
export const findings = (text: string): string[] => {
  const found: string[] = [];
  const titles = new Map<string, number>();
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    const at = index + 1;
    const modifier = CALL.exec(line)?.[1];
    if (modifier === 'only') found.push(`line ${at}: .only would silence every other test`);
    else if (modifier && !REASON.test(line) && !REASON.test(lines[index - 1] ?? '')) {
      found.push(`line ${at}: .${modifier} needs a comment "// skip: reason"`);
    }
    // A formatter breaks a long call after the parenthesis, so the title may be on the next line.
    const title = TITLE.exec(line.trimEnd().endsWith('(') ? `${line}${lines[index + 1] ?? ''}` : line)?.[2];
    if (title === undefined || title.includes('${')) continue;
    const first = titles.get(title);
    if (first) found.push(`line ${at}: the title "${title}" is taken by line ${first}`);
    else titles.set(title, at);
  }
  return found;
};

/** Stops the run if a test file breaks one of the rules of `findings`. */
export const setup = (): void => {
  const all = globSync(FILES).flatMap((file) =>
    findings(readFileSync(file, 'utf8')).map((finding) => `${file} ${finding}`),
  );
  if (all.length > 0) throw new Error(`Test files to mend:\n${all.join('\n')}`);
};
