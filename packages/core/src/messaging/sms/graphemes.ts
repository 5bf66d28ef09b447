// Splits a text into graphemes as SMS providers do, by the rules of Unicode 10 (UAX 29, table 2). The runtime's newer
// rules keep emoji and syllables together that providers bill as split.

/** Character classes of the rules. Source: UAX 29 of Unicode 10, table 2. */
type Kind =
  | 'other'
  | 'control'
  | 'extend'
  | 'joiner'
  | 'spacing'
  | 'prepend'
  | 'regional'
  | 'modifier'
  | 'base'
  | 'person'
  | 'glue'
  | 'L'
  | 'V'
  | 'T'
  | 'LV'
  | 'LVT';

/** Marks and format characters added after Unicode 10: ordinary characters to its rules. */
const NEWER =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: each is meant by itself, and none is taken for two.
  /^[\u07fd\u0890\u0891\u0897-\u089f\u08ca-\u08d3\u09fe\u0b55\u0c04\u0c3c\u0cf3\u0d81\u0eba\u0ece\u1715\u180f\u1abf-\u1add\u1ae0-\u1aeb\u1dfa\ua82c\ua8ff\u{10d24}-\u{10d27}\u{10d69}-\u{10d6d}\u{10eab}\u{10eac}\u{10efa}-\u{10eff}\u{10f46}-\u{10f50}\u{10f82}-\u{10f85}\u{11070}\u{11073}\u{11074}\u{110c2}\u{110cd}\u{11145}\u{11146}\u{111c9}\u{111ce}\u{111cf}\u{11241}\u{1133b}\u{113b8}-\u{113c0}\u{113c2}\u{113c5}\u{113c7}-\u{113ca}\u{113cc}-\u{113d0}\u{113d2}\u{113e1}\u{113e2}\u{1145e}\u{1182c}-\u{1183a}\u{11930}-\u{11935}\u{11937}\u{11938}\u{1193b}-\u{1193e}\u{11940}\u{11942}\u{11943}\u{119d1}-\u{119d7}\u{119da}-\u{119e0}\u{119e4}\u{11b60}-\u{11b67}\u{11d8a}-\u{11d8e}\u{11d90}\u{11d91}\u{11d93}-\u{11d97}\u{11ef3}-\u{11ef6}\u{11f00}\u{11f01}\u{11f03}\u{11f34}-\u{11f3a}\u{11f3e}-\u{11f42}\u{11f5a}\u{13430}-\u{13440}\u{13447}-\u{13455}\u{1611e}-\u{1612f}\u{16f4f}\u{16f7f}-\u{16f87}\u{16fe4}\u{16ff0}\u{16ff1}\u{1cf00}-\u{1cf2d}\u{1cf30}-\u{1cf46}\u{1e08f}\u{1e130}-\u{1e136}\u{1e2ae}\u{1e2ec}-\u{1e2ef}\u{1e4ec}-\u{1e4ef}\u{1e5ee}\u{1e5ef}\u{1e6e3}\u{1e6e6}\u{1e6ee}\u{1e6ef}\u{1e6f5}]$/u;

/** In order of priority: the first class with the character applies. */
const KINDS: readonly (readonly [Kind, RegExp])[] = [
  ['other', /^[ -~\u00a0-\u00ac\u00ae-\u02ff\u0370-\u0482\u2010-\u2027\u2030-\u205f\u3040-\u3098\u4e00-\u9fff]$/u],
  ['other', NEWER],
  ['joiner', /^\u200d$/u],
  ['extend', /^\p{Grapheme_Extend}$/u],
  [
    'prepend',
    /^[\u0600-\u0605\u06dd\u070f\u08e2\u0d4e\u{110bd}\u{111c2}\u{111c3}\u{11a3a}\u{11a86}-\u{11a89}\u{11d46}]$/u,
  ],
  ['control', /^[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}][\p{Default_Ignorable_Code_Point}&&\p{Cn}]]$/v],
  [
    'spacing',
    /^[[\p{Mc}\u0e33\u0eb3\u1cf2\u1cf3]--[\u102b\u102c\u1038\u1062-\u1064\u1067-\u106d\u1083\u1087-\u108c\u108f\u109a-\u109c\u1a61\u1a63\u1a64\uaa7b\uaa7d]]$/v,
  ],
  ['regional', /^\p{Regional_Indicator}$/u],
  ['modifier', /^\p{Emoji_Modifier}$/u],
  ['person', /^[\u{1f466}-\u{1f469}]$/u],
  [
    'base',
    /^[\u261d\u26f9\u270a-\u270d\u{1f385}\u{1f3c2}-\u{1f3c4}\u{1f3c7}\u{1f3ca}-\u{1f3cc}\u{1f442}\u{1f443}\u{1f446}-\u{1f450}\u{1f46e}\u{1f470}-\u{1f478}\u{1f47c}\u{1f481}-\u{1f483}\u{1f485}-\u{1f487}\u{1f4aa}\u{1f574}\u{1f575}\u{1f57a}\u{1f590}\u{1f595}\u{1f596}\u{1f645}-\u{1f647}\u{1f64b}-\u{1f64f}\u{1f6a3}\u{1f6b4}-\u{1f6b6}\u{1f6c0}\u{1f6cc}\u{1f918}-\u{1f91c}\u{1f91e}\u{1f91f}\u{1f926}\u{1f930}-\u{1f939}\u{1f93d}\u{1f93e}\u{1f9d1}-\u{1f9dd}]$/u,
  ],
  [
    'glue',
    /^[\u2640\u2642\u2695\u2696\u2708\u2764\u{1f308}\u{1f33e}\u{1f373}\u{1f393}\u{1f3a4}\u{1f3a8}\u{1f3eb}\u{1f3ed}\u{1f48b}\u{1f4bb}\u{1f4bc}\u{1f527}\u{1f52c}\u{1f5e8}\u{1f680}\u{1f692}]$/u,
  ],
  ['L', /^[\u1100-\u115f\ua960-\ua97c]$/u],
  ['V', /^[\u1160-\u11a7\ud7b0-\ud7c6]$/u],
  ['T', /^[\u11a8-\u11ff\ud7cb-\ud7fb]$/u],
];

/** Hangul syllables: the first of each 28 has no final consonant. Source: Unicode, 3.12. */
const HANGUL = { first: 0xac00, last: 0xd7a3, finals: 28 };

const kindOf = (character: string): Kind => {
  const code = character.codePointAt(0) ?? 0;
  if (code >= HANGUL.first && code <= HANGUL.last) return (code - HANGUL.first) % HANGUL.finals === 0 ? 'LV' : 'LVT';
  return KINDS.find(([, pattern]) => pattern.test(character))?.[0] ?? 'other';
};

const HANGUL_AFTER: Readonly<Partial<Record<Kind, readonly Kind[]>>> = {
  L: ['L', 'V', 'LV', 'LVT'],
  LV: ['V', 'T'],
  V: ['V', 'T'],
  LVT: ['T'],
  T: ['T'],
};

/** State of the current grapheme. */
type Open = {
  readonly characters: number;
  readonly last: Kind;
  readonly beforeLast: Kind | null;
  readonly hasExtend: boolean;
  readonly isFlag: boolean;
};

const isPerson = (kind: Kind | null): boolean => kind === 'base' || kind === 'person';

/** True if a character continues the current grapheme. Source: UAX 29 of Unicode 10, 3.1.1 (GB4 to GB13). */
const joins = ({ characters, last, beforeLast, hasExtend, isFlag }: Open, next: Kind): boolean => {
  // After a flag and its first mark a new grapheme starts, as in the provider's own calculator.
  if (isFlag && last !== 'regional') return false;
  if (last === 'control' || next === 'control') return false;
  if (HANGUL_AFTER[last]?.includes(next)) return true;
  if (next === 'extend' || next === 'joiner' || next === 'spacing' || last === 'prepend') return true;
  if (next === 'modifier') return isPerson(hasExtend ? (last === 'extend' ? beforeLast : null) : last);
  if (last === 'joiner') return next === 'glue' || next === 'person';
  return last === 'regional' && next === 'regional' && characters === 1;
};

/** UTF-16 units of each grapheme, in order; a line break of two characters counts as two graphemes. Throws nothing. */
export function* graphemeUnits(text: string): Generator<number> {
  let open: Open | null = null;
  let units = 0;
  for (const character of text) {
    const kind = kindOf(character);
    if (open && joins(open, kind)) {
      open = {
        characters: open.characters + 1,
        last: kind,
        beforeLast: open.last,
        hasExtend: open.hasExtend || kind === 'extend',
        isFlag: open.isFlag || (open.characters === 1 && kind === 'regional'),
      };
      units += character.length;
      continue;
    }
    if (open) yield units;
    open = { characters: 1, last: kind, beforeLast: null, hasExtend: kind === 'extend', isFlag: false };
    units = character.length;
  }
  if (open) yield units;
}
