// Tags of other systems, which our templates deliver as they are written. A pattern is listed only where ordinary text,
// HTML, CSS, JSON, links and prices do not look like it.

type Pattern = {
  /** What a tag begins with: searching for it costs next to nothing where there is none. */
  readonly opening: string;
  /** The whole tag, of bounded length, anchored to where it begins. */
  readonly tag: RegExp;
};

/** Places of one kind that are looked at. Chosen: the work is bounded whatever a text holds. */
const MAX_MATCHES = 2_000;

/** Names that a message is likely to be personal by; a wiki link or a list in double brackets holds others. */
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
 * Tags of other systems in a text, as they are written; those of one kind in their order.
 *
 * @param most tags that are looked for; of each kind 2,000 places are looked at. Throws nothing.
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
