// Tags of other systems, which Beckon sends literally. A pattern is listed only if ordinary text, HTML, CSS, JSON,
// links and prices do not match it.

type Pattern = {
  /** Start of a tag: searching for it is cheap if there is none. */
  readonly opening: string;
  /** The whole tag, of bounded length, anchored at its start. */
  readonly tag: RegExp;
};

/** Maximum checked positions per pattern. Chosen: bounded work for any text. */
const MAX_MATCHES = 2_000;

/** Names that personalise a message; other names in double brackets are wiki links or lists. */
const PERSONAL =
  '(?:(?:user|users|trait|traits|event|contact|customer|subscriber|recipient|profile|person)\\.[\\w.-]{1,60}|(?:first|last|full|user)[ _-]?name|name|email)';

const PATTERNS: readonly Pattern[] = [
  // Liquid, Jinja, Twig
  { opening: '{%', tag: /\{%[-~]?\s{0,9}[a-z]\w{0,30}\b[^{}]{0,200}?%\}/iy },
  // Mailchimp
  { opening: '*|', tag: /\*\|[a-z][\w:= .-]{0,80}\|\*/iy },
  // ERB, EJS, ASP
  { opening: '<%', tag: /<%[=-]?\s{0,9}[a-z@][^%<>]{0,200}%>/iy },
  // JavaScript and shells
  { opening: '${', tag: /\$\{\s{0,9}[a-z_][\w.]{0,80}\s{0,9}\}/iy },
  // Mailgun and Marketing Cloud
  { opening: '%recipient.', tag: /%recipient\.[\w.-]{1,80}%/iy },
  { opening: '%%', tag: /%%(?:=[^%]{1,200}=|[a-z_]\w{0,60})%%/iy },
  { opening: '[[', tag: new RegExp(`\\[\\[\\s{0,9}${PERSONAL}\\s{0,9}\\]\\]`, 'iy') },
];

/**
 * Tags of other systems in a text, as written; those of one pattern in order.
 *
 * @param most maximum tags; 2,000 positions are checked per pattern. Throws nothing.
 */
export function* foreignTags(text: string, most: number): Generator<string> {
  let found = 0;
  for (const { opening, tag } of PATTERNS) {
    let matches = 0;
    for (let at = text.indexOf(opening); at !== -1 && found < most && matches < MAX_MATCHES; matches += 1) {
      tag.lastIndex = at;
      const [match] = tag.exec(text) ?? [];
      if (match !== undefined) {
        found += 1;
        yield match;
      }
      at = text.indexOf(opening, at + (match?.length ?? opening.length));
    }
  }
}
