// The tags of an HTML text, found as a browser finds them: what stands in comments, in scripts and styles and in quoted
// values is no tag. One pass that only goes forward, so that no text costs more than its length.
// Source: HTML, 13.2.5 (tokenization), as far as positions of tags and attributes need it.

/** An attribute with a value. `start` and `end` enclose the value as it is written, its quotes included. */
export type Attribute = {
  /** In lower case. */
  readonly name: string;
  /** As it is written, without its quotes; character references are not resolved. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
};

export type Tag = {
  /** In lower case. */
  readonly name: string;
  readonly isEnd: boolean;
  /** Where its `<` is. */
  readonly start: number;
  /** In the order in which they are written, those that are given twice among them. */
  readonly attributes: readonly Attribute[];
};

const SPACE = /[\t\n\f\r ]*/y;
const BETWEEN = /[\t\n\f\r /]*/y;
const TAG_NAME = /[^\t\n\f\r />]*/y;
const ATTRIBUTE_NAME = /[^\t\n\f\r />=]*/y;
const UNQUOTED = /[^\t\n\f\r >]*/y;
const LETTER = /[a-z]/i;

/** Elements whose content is text up to their own end tag. Source: HTML, 13.2.6.4 (in head, in body). */
const RAW_TEXT = new Map(
  ['script', 'style', 'title', 'textarea', 'xmp', 'iframe', 'noembed', 'noframes'].map((name) => [
    name,
    new RegExp(`</${name}(?=[\\t\\n\\f\\r />])`, 'gi'),
  ]),
);

/** Where the characters of a class end that stand here; `run` is sticky and takes none, too. */
const runEnd = (html: string, at: number, run: RegExp): number => {
  run.lastIndex = at;
  run.test(html);
  return run.lastIndex;
};

const indexFrom = (html: string, at: number, wanted: RegExp): number => {
  wanted.lastIndex = at;
  return wanted.exec(html)?.index ?? -1;
};

type Read = { readonly attributes: readonly Attribute[]; readonly end: number };

/** The attributes from behind a tag's name to behind its `>`; null: the tag never closes. */
const attributesAt = (html: string, from: number): Read | null => {
  const attributes: Attribute[] = [];
  let at = from;
  for (;;) {
    at = runEnd(html, at, BETWEEN);
    if (at >= html.length) return null;
    if (html[at] === '>') return { attributes, end: at + 1 };
    // Whatever its first character is, it belongs to the name.
    const nameEnd = runEnd(html, at + 1, ATTRIBUTE_NAME);
    const equals = runEnd(html, nameEnd, SPACE);
    if (html[equals] !== '=') {
      at = nameEnd;
      continue;
    }
    const name = html.slice(at, nameEnd).toLowerCase();
    const start = runEnd(html, equals + 1, SPACE);
    const quote = html[start];
    if (quote === '"' || quote === "'") {
      const close = html.indexOf(quote, start + 1);
      if (close === -1) return null;
      at = close + 1;
      attributes.push({ name, text: html.slice(start + 1, close), start, end: at });
    } else {
      at = runEnd(html, start, UNQUOTED);
      attributes.push({ name, text: html.slice(start, at), start, end: at });
    }
  }
};

/**
 * The tags of those names, in their order, and where readable markup ends: at the end of the text, or before a comment,
 * a tag or an element of raw text that never closes. Throws nothing.
 */
export const tagsOf = (html: string, names: ReadonlySet<string>): { readonly tags: Tag[]; readonly end: number } => {
  const tags: Tag[] = [];
  let at = 0;
  for (;;) {
    const start = html.indexOf('<', at);
    if (start === -1) return { tags, end: html.length };
    const isEnd = html[start + 1] === '/';
    const nameAt = isEnd ? start + 2 : start + 1;
    if (LETTER.test(html[nameAt] ?? '')) {
      const nameEnd = runEnd(html, nameAt, TAG_NAME);
      const name = html.slice(nameAt, nameEnd).toLowerCase();
      const read = attributesAt(html, nameEnd);
      if (!read) return { tags, end: start };
      if (names.has(name)) tags.push({ name, isEnd, start, attributes: read.attributes });
      const close = isEnd ? undefined : RAW_TEXT.get(name);
      at = close ? indexFrom(html, read.end, close) : read.end;
    } else if (html.startsWith('<!--', start)) {
      // From the second hyphen on: `<!-->` is a whole comment.
      const close = html.indexOf('-->', start + 2);
      at = close === -1 ? -1 : close + 3;
    } else if (isEnd || html[nameAt] === '!' || html[nameAt] === '?') {
      const close = html.indexOf('>', nameAt);
      at = close === -1 ? -1 : close + 1;
    } else at = nameAt;
    if (at === -1) return { tags, end: start };
  }
};
