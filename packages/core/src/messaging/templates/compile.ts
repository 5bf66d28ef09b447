// {{path.to.value}}, with an optional default ({{trait.name | default: "there"}}), and nothing else: no sections,
// helpers or expressions. A text is scanned once, in linear time, into literals and paths; values are never scanned, so
// a value cannot inject a placeholder. Literal double braces are written {{ '{{' }}.

import { LRUCache } from 'lru-cache';

/** First names of paths. The renderer decides which of them exist. */
export type Root = 'event' | 'user' | 'trait' | 'steps' | 'secret' | 'auth';

const ROOTS: ReadonlySet<string> = new Set<Root>(['event', 'user', 'trait', 'steps', 'secret', 'auth']);
const isRoot = (name: string): name is Root => ROOTS.has(name);

/** A placeholder. `root` is null if the path begins with an unknown name: it renders empty. */
export type Placeholder = {
  readonly root: Root | null;
  readonly keys: readonly string[];
  readonly path: string;
  /** Default text if the path has no value. Undefined: none. */
  readonly fallback: string | undefined;
};

/** A compiled text: `literals[0]`, first placeholder, `literals[1]`, ..., with one literal more than placeholders. */
export type Template = { readonly literals: readonly string[]; readonly placeholders: readonly Placeholder[] };

/** Default after a path. No brace: one would have ended the tag. */
const DEFAULT = /^\s*default\s*:\s*(?:"([^"]*)"|'([^']*)')\s*$/;

// Text after the bar that is no default belongs to the name, because names are taken literally.
const split = (inside: string): readonly [path: string, fallback: string | undefined] => {
  const bar = inside.indexOf('|');
  const found = bar === -1 ? null : DEFAULT.exec(inside.slice(bar + 1));
  return found ? [inside.slice(0, bar).trim(), found[1] ?? found[2]] : [inside.trim(), undefined];
};

// Null for an invalid path: empty, or with an empty name between dots.
const placeholderOf = (inside: string): Placeholder | null => {
  const [path, fallback] = split(inside);
  const [root = '', ...keys] = path.split('.');
  if (root === '' || keys.includes('')) return null;
  return { root: isRoot(root) ? root : null, keys, path, fallback };
};

const isBrace = (text: string, at: number): boolean => text[at] === '{' || text[at] === '}';

/** The tag of literal double braces. */
const LITERAL_BRACES = /\{\{\s*(?:'\{\{'|"\{\{")\s*\}\}/y;

/** End of the literal braces tag at this position; -1: none. */
const literalBracesEnd = (text: string, at: number): number => {
  LITERAL_BRACES.lastIndex = at;
  return LITERAL_BRACES.test(text) ? LITERAL_BRACES.lastIndex : -1;
};

/** Results of a scan, in text order. */
export type TextParts = {
  /** Literal text; it may contain braces that form no tag. */
  text(part: string): void;
  /** Literal double braces. */
  braces(): void;
  placeholder(found: Placeholder): void;
};

/** Scans a text once, in linear time. Throws nothing itself. */
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
      // The next opening can overlap this one ({{{x}}), but no opening lies between the two braces found.
      at = text.indexOf('{{', Math.max(at + 1, end - 1));
    }
  }
  parts.text(text.slice(literalStart));
};

/**
 * Compiles a text.
 *
 * @param text any string; white space inside the braces is allowed, names are taken literally; braces that form no
 * placeholder stay text. Linear time.
 * @returns an immutable template that can be rendered any number of times. Throws nothing.
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

/** Average characters per cached template. Chosen: titles and bodies are far shorter, HTML emails are longer. */
const CACHED_CHARACTERS_EACH = 4_096;

/**
 * `compileTemplate` with a cache of recently used templates, by text.
 *
 * @param max cached templates; all their texts together have at most `max` x 4,096 characters
 */
export const templateCache = (max: number): ((text: string) => Template) => {
  const cache = new LRUCache<string, Template>({
    max,
    maxSize: max * CACHED_CHARACTERS_EACH,
    sizeCalculation: (_, text) => text.length + 1,
  });
  return (text) => {
    const cached = cache.get(text);
    if (cached) return cached;
    const template = compileTemplate(text);
    cache.set(text, template);
    return template;
  };
};
