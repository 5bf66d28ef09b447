// The tags of an HTML text, found as a browser finds them: what stands in comments, in scripts and styles and in quoted
// values is no tag. Positions are those of the text itself, so that whoever changes one place keeps every other byte.
// What it knows less than a browser: a CDATA section is one everywhere, and an end tag has no attributes.

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
  /** Behind its `>`. */
  readonly end: number;
  /** In the order in which they are written, those that are given twice among them. */
  readonly attributes: readonly Attribute[];
};

/** Elements whose content is text up to their own end tag. Source: HTML, 13.2.6.4 (in head, in body). */
const RAW_TEXT = new Set(['script', 'style', 'title', 'textarea', 'xmp', 'iframe', 'noembed', 'noframes', 'plaintext']);

let parser: typeof import('./html-parser.ts') | undefined;

/** Loads what reads HTML, once. Whoever calls `tagsOf` has waited for it: most processes never send such a mail. */
export const loadHtml = async (): Promise<void> => {
  parser ??= await import('./html-parser.ts');
};

const loaded = () => {
  if (parser === undefined) throw new TypeError('what reads HTML is not loaded');
  return parser;
};

/**
 * The text of an attribute with its character references resolved as browsers resolve them: what is no reference stays
 * as it is. Throws TypeError where `loadHtml` was not waited for.
 */
export const resolved = (text: string): string => (text.includes('&') ? loaded().decodeHTMLAttribute(text) : text);

/**
 * The tags of those names, in their order, and where readable markup ends: at the end of the text, or before a comment,
 * a tag or an element of raw text that never closes. `firstText` is where the first text that is shown begins, unless
 * there is none before the last tag. One pass that only goes forward. Throws TypeError where `loadHtml` was not waited for.
 *
 * @param names null: of any name
 * @param isLast true for the tag behind which nothing is read
 */
export const tagsOf = (
  html: string,
  names: ReadonlySet<string> | null,
  isLast: (tag: Tag) => boolean = () => false,
): { readonly tags: Tag[]; readonly end: number; readonly firstText: number | undefined } => {
  const { Tokenizer, QuoteType } = loaded();
  const tags: Tag[] = [];
  let end = 0;
  /** Of an element of raw text that has not closed yet. */
  let rawStart: number | undefined;
  let firstText: number | undefined;
  let open: { readonly name: string; readonly start: number } | undefined;
  let attributes: Attribute[] = [];
  let attributeName = '';
  let valueStart = 0;

  const add = (tag: Tag): void => {
    end = tag.end;
    if (names !== null && !names.has(tag.name)) return;
    tags.push(tag);
    if (isLast(tag)) tokenizer.pause();
  };
  const opened = (at: number): void => {
    if (open === undefined) return;
    if (RAW_TEXT.has(open.name)) rawStart = open.start;
    add({ ...open, isEnd: false, end: at + 1, attributes });
    open = undefined;
  };
  /** Of what stands up to and with that character, or never ends. */
  const passed = (at: number): void => {
    if (at < html.length) end = at + 1;
  };

  const tokenizer = new Tokenizer(
    { decodeEntities: false },
    {
      onopentagname: (start, at) => {
        open = { name: html.slice(start, at).toLowerCase(), start: start - 1 };
        attributes = [];
      },
      onattribname: (start, at) => {
        attributeName = html.slice(start, at).toLowerCase();
      },
      onattribdata: (start) => {
        valueStart = start;
      },
      onattribend: (quote, at) => {
        if (quote === QuoteType.NoValue) return;
        const around = quote === QuoteType.Unquoted ? 0 : 1;
        const text = html.slice(valueStart, at - around);
        attributes.push({ name: attributeName, text, start: valueStart - around, end: at });
      },
      onopentagend: opened,
      onselfclosingtag: opened,
      onclosetag: (start, at) => {
        const close = html.indexOf('>', at);
        if (close === -1) return;
        rawStart = undefined;
        add({
          name: html.slice(start, at).toLowerCase(),
          isEnd: true,
          start: start - 2,
          end: close + 1,
          attributes: [],
        });
      },
      ontext: (start, at) => {
        end = at;
        if (firstText !== undefined || rawStart !== undefined) return;
        const shown = html.slice(start, at).search(/\S/);
        if (shown !== -1) firstText = start + shown;
      },
      oncomment: (_, at) => passed(at),
      oncdata: (_, at) => passed(at),
      ondeclaration: (_, at) => passed(at),
      // Of XML, or of references where they are resolved.
      onprocessinginstruction: () => undefined,
      onattribentity: () => undefined,
      ontextentity: () => undefined,
      onend: () => undefined,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  return { tags, end: rawStart ?? end, firstText };
};
