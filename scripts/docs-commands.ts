/* The `beckon` commands in the documentation, and whether the CLI's own parser accepts them. */
import { type Command, programTree } from './cli-reference.ts';

/** One command on a page. A sentence often omits arguments; a code block never does. */
type ShownCommand = { readonly line: number; readonly argv: readonly string[]; readonly isInline: boolean };

/** Blocks of other languages contain no shell commands. */
const SHELL = new Set(['', 'bash', 'sh', 'console', 'text', 'ini', 'yaml']);
/** Words that may precede the program's name. */
const LAUNCHER = /^(?:\$|npx|exec|sudo|env|time|-y|--yes|[A-Za-z_]\w*=.*)$/s;
const PROGRAM = /^(?:[^=]*\/)?beckon$/;
/** Keys of other programs' files that contain a command. */
const KEY = /^(?:ExecStart|argv)=/;
/** Words and separators of commands. Quotes and substitutions are part of a word. */
const TOKEN = /\$\([^()]*\)|'[^']*'|"(?:\\.|[^"\\])*"|\\.|\|\||&&|[|;&\n<>]|[ \t]+|[^\s'"\\|;&<>]/gs;

const unquoted = (piece: string): string => {
  if (piece.startsWith("'")) return piece.slice(1, -1);
  if (piece.startsWith('"')) return piece.slice(1, -1).replaceAll(/\\(.)/gs, '$1');
  return piece.startsWith('\\') ? piece.slice(1) : piece;
};

/** Simple commands of a shell text, as their words. A redirection ends the checked words. */
const simpleCommands = (text: string): string[][] => {
  const commands: string[][] = [];
  let words: string[] = [];
  let word: string | null = null;
  let isTarget = false;
  const endWord = (): void => {
    if (word !== null && !isTarget) words.push(word);
    if (word !== null) isTarget = false;
    word = null;
  };
  for (const [piece] of text.matchAll(TOKEN)) {
    if (/^[ \t]+$/.test(piece)) endWord();
    else if (/^[<>]$/.test(piece)) {
      endWord();
      isTarget = true;
    } else if (/^(?:\|\||&&|[|;&\n])$/.test(piece)) {
      endWord();
      isTarget = false;
      commands.push(words);
      words = [];
    } else {
      if (piece.startsWith('$(')) commands.push(...simpleCommands(piece.slice(2, -1)));
      word = (word ?? '') + unquoted(piece);
    }
  }
  endWord();
  return [...commands, words].filter(({ length }) => length > 0);
};

const argvOf = (words: readonly string[]): readonly string[] | null => {
  const configured = words.findIndex((word) => KEY.test(word) && PROGRAM.test(word.replace(KEY, '')));
  if (configured !== -1) return words.slice(configured + 1);
  const at = words.findIndex((word) => PROGRAM.test(word));
  return at === -1 || !words.slice(0, at).every((word) => LAUNCHER.test(word)) ? null : words.slice(at + 1);
};

const argvsIn = (text: string): (readonly string[])[] =>
  simpleCommands(text.replaceAll(/(^|\s)#.*$/gm, '$1')).flatMap((words) => {
    const argv = argvOf(words);
    return argv === null ? [] : [argv];
  });

/** `a|b` in the name of a command or its value means either. */
const alternatives = (argv: readonly string[]): (readonly string[])[] =>
  argv.reduce<(readonly string[])[]>(
    (all, word) => {
      const choices = /^[a-z-]+(?:\\?\|[a-z-]+)+$/.test(word) ? word.split(/\\?\|/) : [word];
      return all.flatMap((before) => choices.map((one) => [...before, one]));
    },
    [[]],
  );

/** Every command on a page, in its code blocks and in its sentences. Throws nothing. */
export const commandsIn = (markdown: string): ShownCommand[] => {
  const found: ShownCommand[] = [];
  let block: { language: string; from: number; lines: string[] } | null = null;
  const prose: string[] = [];
  for (const [index, line] of markdown.split('\n').entries()) {
    const [, language] = /^\s*```(\w*)/.exec(line) ?? [];
    if (block === null) prose.push(language === undefined ? line : '');
    else prose.push('');
    if (language === undefined) block?.lines.push(line);
    else if (block === null) block = { language, from: index + 2, lines: [] };
    else {
      const { from, lines } = block;
      for (let at = 0; SHELL.has(block.language) && at < lines.length; at += 1) {
        const start = at;
        let text = lines[at] ?? '';
        // A quoted text or a trailing backslash continues on the next line.
        while (at + 1 < lines.length && (/\\$/.test(text) || (text.match(/'/g)?.length ?? 0) % 2 === 1)) {
          at += 1;
          text = `${text.replace(/\\$/, ' ')}${/\\$/.test(text) ? '' : '\n'}${lines[at]}`;
        }
        for (const argv of argvsIn(text)) found.push({ line: from + start, argv, isInline: false });
      }
      block = null;
    }
  }
  const text = prose.join('\n');
  for (const match of text.matchAll(/`((?:npx )?beckon [^`]+)`/g)) {
    const line = text.slice(0, match.index).split('\n').length;
    // The bar in a table cell is escaped, and no pipe.
    const [, shown = ''] = match;
    const argv = shown.replaceAll(/\s+/g, ' ').split(/^(?:npx )?beckon /)[1] ?? '';
    const words = simpleCommands(argv.replaceAll(/\\?\|/g, '\\|').replace(/[ ]?(?:\.\.\.|…)$/, ''))[0] ?? [];
    for (const one of alternatives(words)) found.push({ line, argv: one, isInline: true });
  }
  return found;
};

const silence = (command: Command): void => {
  command.configureOutput({ writeOut: () => undefined, writeErr: () => undefined });
  if (command.commands.length === 0) command.action(() => undefined);
  for (const one of command.commands) silence(one);
};

let kept: Command | null = null;

/** The command tree, without running or printing anything. Commander forgets its state between two parses. */
const silentTree = (): Command => {
  if (kept === null) {
    kept = programTree();
    silence(kept);
  }
  return kept;
};

const allOf = (command: Command): Command[] => [command, ...command.commands.flatMap(allOf)];

/** The examples in `--help` of all commands. Throws nothing. */
export const helpExamples = (): (readonly string[])[] =>
  allOf(silentTree()).flatMap((command) => {
    let help = '';
    command.configureOutput({ writeOut: (text) => (help += text) });
    command.outputHelp();
    silence(command);
    const [, examples = ''] = help.split('\nExamples:\n');
    const text = examples
      .replaceAll(/ \\\n\s+/g, ' ')
      .replaceAll('<(', '')
      .replaceAll(')', '');
    return argvsIn(text);
  });

const INCOMPLETE = new Set([
  'commander.help',
  'commander.missingArgument',
  'commander.missingMandatoryOptionValue',
  'commander.optionMissingArgument',
]);

/**
 * The parser's error for a command line; null: it is accepted.
 *
 * @param mayBeIncomplete a sentence may omit arguments and required options
 */
export const refusalOf = async (argv: readonly string[], mayBeIncomplete: boolean): Promise<string | null> => {
  try {
    await silentTree().parseAsync(argv, { from: 'user' });
    return null;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'commander.helpDisplayed' || code === 'commander.version') return null;
    if (mayBeIncomplete && INCOMPLETE.has(code)) return null;
    return error instanceof Error ? error.message : String(error);
  }
};
