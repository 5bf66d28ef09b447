// {{path.to.value}}, with a default where there is none ({{trait.name | default: "there"}}), and nothing else: no
// sections, no helpers, no expressions. A text is scanned once, in linear time, into literals and paths; what a value
// holds is never scanned, so a value cannot smuggle in a placeholder. Two braces as text are written {{ '{{' }}.

import { LRUCache } from 'lru-cache';

/** The names a path may begin with. Which of them exist is up to who renders. */
export type Root = 'event' | 'user' | 'trait' | 'steps' | 'secret' | 'auth';

const ROOTS: ReadonlySet<string> = new Set<Root>(['event', 'user', 'trait', 'steps', 'secret', 'auth']);
const isRoot = (name: string): name is Root => ROOTS.has(name);

/** One placeholder. `root` is null where the path begins with a name that no scope has: it renders empty. */
export type Placeholder = {
  readonly root: Root | null;
  readonly keys: readonly string[];
  readonly path: string;
  /** What stands in its place where the path gives no text: the author's own words. Undefined: nothing does. */
  readonly fallback: string | undefined;
};

/** A compiled text: `literals[0]`, first placeholder, `literals[1]`, ... with one literal more than placeholders. */
export type Template = { readonly literals: readonly string[]; readonly placeholders: readonly Placeholder[] };

/** What may stand behind a path. No brace: one would have ended the tag. */
const DEFAULT = /^\s*default\s*:\s*(?:"([^"]*)"|'([^']*)')\s*$/;

// What is behind the bar and no default belongs to the name: names are taken as they stand.
const split = (inside: string): readonly [path: string, fallback: string | undefined] => {
  const bar = inside.indexOf('|');
  const found = bar === -1 ? null : DEFAULT.exec(inside.slice(bar + 1));
  return found ? [inside.slice(0, bar).trim(), found[1] ?? found[2]] : [inside.trim(), undefined];
};

// Null for what is no path: nothing between the braces, or an empty name between dots.
const placeholderOf = (inside: string): Placeholder | null => {
  const [path, fallback] = split(inside);
  const [root = '', ...keys] = path.split('.');
  if (root === '' || keys.includes('')) return null;
  return { root: isRoot(root) ? root : null, keys, path, fallback };
};

const isBrace = (text: string, at: number): boolean => text[at] === '{' || text[at] === '}';

/** The tag that stands for two braces as text. */
const LITERAL_BRACES = /\{\{\s*(?:'\{\{'|"\{\{")\s*\}\}/y;

/** The end of the tag for two braces that begins here; -1: there is none. */
const literalBracesEnd = (text: string, at: number): number => {
  LITERAL_BRACES.lastIndex = at;
  return LITERAL_BRACES.test(text) ? LITERAL_BRACES.lastIndex : -1;
};

/** What a scan finds, in the order of the text. */
export type TextParts = {
  /** Text as it is written; it may hold braces that form no tag. */
  text(part: string): void;
  /** Two braces that are meant as text. */
  braces(): void;
  placeholder(found: Placeholder): void;
};

/** Takes a text apart once, in time linear in its length. Throws nothing of its own. */
export const scanTemplate = (text: string, parts: TextParts): void => {
  let literalStart = 0;
  let at = text.indexOf('{{');
  while (at !== -1) {
    let end = at + 2;
    while (end < text.length && !isBrace(text, end)) end++;
    const found = text.startsWith('}}', end) ? placeholderOf(text.slice(at + 2, end)) : null;
    const bracesEnd = found ? -1 : literalBracesEnd(text, at);
    if (found || bracesEnd !== -1) {
      parts.text(text.slice(literalStart, at));
      if (found) parts.placeholder(found);
      else parts.braces();
      literalStart = found ? end + 2 : bracesEnd;
      at = text.indexOf('{{', literalStart);
    } else {
      // The next opening can overlap this one ({{{x}}), but nothing between the two braces found can hold one.
      at = text.indexOf('{{', Math.max(at + 1, end - 1));
    }
  }
  parts.text(text.slice(literalStart));
};

/**
 * Compiles a text.
 *
 * @param text any string; white space inside the braces is allowed, names are taken as they stand; braces that form no
 * placeholder stay what they are, as text. Time is linear in its length.
 * @returns an immutable template, to be rendered any number of times. Throws nothing.
 */
export const compileTemplate = (text: string): Template => {
  const literals: string[] = [];
  const placeholders: Placeholder[] = [];
  let literal = '';
  scanTemplate(text, {
    text: (part) => {
      literal += part;
    },
    braces: () => {
      literal += '{{';
    },
    placeholder: (found) => {
      literals.push(literal);
      literal = '';
      placeholders.push(found);
    },
  });
  literals.push(literal);
  return { literals, placeholders };
};

/** Characters per cached template, on average: ours; titles and bodies are far shorter, HTML mail is longer. */
const CACHED_CHARACTERS_EACH = 4_096;

/**
 * `compileTemplate` that remembers the templates used last, by their text.
 *
 * @param max templates kept; texts of more than `max` x 4,096 characters in all are not kept either
 */
export const templateCache = (max: number): ((text: string) => Template) => {
  const cache = new LRUCache<string, Template>({
    max,
    maxSize: max * CACHED_CHARACTERS_EACH,
    sizeCalculation: (_, text) => text.length + 1,
  });
  return (text) => {
    const known = cache.get(text);
    if (known) return known;
    const template = compileTemplate(text);
    cache.set(text, template);
    return template;
  };
};
