// Keywords by which recipients stop, resume or ask about text messages. Only a whole message counts: "please stop by at
// five" is none. Carriers require the English words, Canadian ones also the French; the others are what people write in
// their own language.

export type Keyword = 'stop' | 'start' | 'help';

/**
 * Sources of the English words: Twilio, Advanced Opt-Out (default keywords); Telnyx, Advanced opt-in/out; AWS End User
 * Messaging, Required opt-out keywords; and 47 CFR 64.1200(a)(10), which requires "stop", "quit", "end", "revoke", "opt
 * out", "cancel" and "unsubscribe". Of the French ones: Twilio, Proxy opt-out keywords, and AWS. Without accents, which
 * are removed before comparison.
 */
const WORDS: Readonly<Record<Keyword, readonly string[]>> = {
  stop: [
    ...['STOP', 'STOPALL', 'STOP ALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'REMOVE'],
    ...['OPTOUT', 'OPT OUT', 'OPT-OUT'],
    // French.
    ...['ARRET', 'ARRETE', 'ARRETT', 'ARRETER', 'DESABONNER', 'TD'],
    // Spanish and Portuguese.
    ...['PARAR', 'PARE', 'ALTO', 'BAJA', 'DETENER', 'CANCELAR', 'SAIR', 'REMOVER'],
    // German, and the Scandinavian languages.
    ...['STOPP', 'ABMELDEN', 'ABBESTELLEN', 'ENDE'],
    // Italian.
    ...['FERMA', 'BASTA', 'ANNULLA', 'CANCELLA', 'DISISCRIVI'],
    // Dutch.
    ...['STOPPEN', 'AFMELDEN'],
  ],
  start: [
    ...['START', 'YES', 'UNSTOP'],
    ...['DEMARRER', 'COMENZAR', 'INICIAR', 'ALTA', 'COMECAR', 'STARTEN', 'ANMELDEN', 'INIZIA', 'AVVIA', 'AANMELDEN'],
  ],
  help: [...['HELP', 'INFO'], ...['AIDE', 'AYUDA', 'AJUDA', 'HILFE', 'AIUTO']],
};

const CLASS_OF: ReadonlyMap<string, Keyword> = new Map(
  (['stop', 'start', 'help'] as const).flatMap((keyword) =>
    WORDS[keyword].map((word): [string, Keyword] => [word, keyword]),
  ),
);

/** Maximum characters of a keyword message, before normalisation. Chosen: far longer than any keyword. */
const MAX_CHARACTERS = 64;

/**
 * A message normalised for comparison: full-width letters become letters; accents, invisible characters and case are
 * removed.
 */
const folded = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/[\p{M}\p{Cf}\p{Cc}]/gu, (character) => (/\s/.test(character) ? ' ' : ''))
    .replaceAll(/^[\p{P}\s]+|[\p{P}\s]+$/gu, '')
    .replaceAll(/\s+/gu, ' ')
    .toUpperCase();

/**
 * The keyword of a message.
 *
 * @param text as received: case, surrounding white space, punctuation and quotes are ignored
 * @returns null for anything except a single keyword. Throws nothing. Source: transports, Status callbacks and inbound.
 */
export const keywordOf = (text: string): Keyword | null =>
  text.length > MAX_CHARACTERS ? null : (CLASS_OF.get(folded(text)) ?? null);
