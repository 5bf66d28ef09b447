// Finds the tags of an HTML text as browsers do: comments, scripts, styles and quoted values contain no tags. Positions
// refer to the text itself, so edits keep all other bytes. Two differences to browsers: CDATA sections are recognised
// everywhere, and end tags have no attributes.

/** An attribute with a value. `start` and `end` enclose the value as written, including its quotes. */
export type Attribute = {
  /** Lower case. */
  readonly name: string;
  /** As written, without quotes; character references are not resolved. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
};

export type Tag = {
  /** Lower case. */
  readonly name: string;
  readonly isEnd: boolean;
  /** Position of its `<`. */
  readonly start: number;
  /** Position after its `>`. */
  readonly end: number;
  /** In source order, including repeated ones. */
  readonly attributes: readonly Attribute[];
};

/** Elements whose content is text up to their end tag. Source: HTML, 13.2.6.4 (in head, in body). */
const RAW_TEXT = new Set(['script', 'style', 'title', 'textarea', 'xmp', 'iframe', 'noembed', 'noframes', 'plaintext']);

let parser: typeof import('./html-parser.ts') | undefined;

/**
 * Loads the HTML parser once; await it before `tagsOf`. Loaded on demand, because most processes send no such email.
 */
export const loadHtml = async (): Promise<void> => {
  parser ??= await import('./html-parser.ts');
};

const loaded = () => {
  if (parser === undefined) throw new TypeError('loadHtml was not awaited');
  return parser;
};

/**
 * An attribute's text with character references resolved as in browsers; invalid references stay. Throws TypeError
 * before `loadHtml`.
 */
export const resolved = (text: string): string => (text.includes('&') ? loaded().decodeHTMLAttribute(text) : text);

/**
 * Finds the tags with these names, in order, and the end of readable markup: the end of the text, or the start of a
 * comment, a tag or a raw text element that never closes. `firstText` is the position of the first visible text, if it
 * precedes the last tag. One forward pass. Throws TypeError before `loadHtml`.
 *
 * @param names null: any name
 * @param isLast true for the tag after which parsing stops
 */
export const tagsOf = (
  html: string,
  names: ReadonlySet<string> | null,
  isLast: (tag: Tag) => boolean = () => false,
): { readonly tags: Tag[]; readonly end: number; readonly firstText: number | undefined } => {
  const { Tokenizer, QuoteType } = loaded();
  const tags: Tag[] = [];
  let end = 0;
  /** Start of an open raw text element. */
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
  /** Position after the next such character, or the end. */
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
      // For XML, or for resolved references.
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
