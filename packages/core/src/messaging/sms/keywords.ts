// The words by which whoever has a phone ends, resumes or asks about text messages. Only a whole message is one: "please
// stop by at five" is not. Carriers ask for the English words, and those of Canada for the French ones too; the others are
// what people write who answer in their own language.

export type Keyword = 'stop' | 'start' | 'help';

/**
 * Sources of the English words: Twilio, Advanced Opt-Out (default keywords); Telnyx, Advanced opt-in/out; AWS End User
 * Messaging, Required opt-out keywords; and 47 CFR 64.1200(a)(10), which names "stop", "quit", "end", "revoke", "opt out",
 * "cancel" and "unsubscribe" as ways that have to be taken. Of the French ones: Twilio, Proxy opt-out keywords, and AWS.
 * Without accents, which are taken off before words are compared.
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

/** Longer messages hold no word of the list, whatever becomes of their letters. */
const MAX_CHARACTERS = 64;

/** A message as words are compared: full-width letters are letters, accents, invisible characters and case are nothing. */
const folded = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/[\p{M}\p{Cf}\p{Cc}]/gu, (character) => (/\s/.test(character) ? ' ' : ''))
    .replaceAll(/^[\p{P}\s]+|[\p{P}\s]+$/gu, '')
    .replaceAll(/\s+/gu, ' ')
    .toUpperCase();

/**
 * What a message from a phone asks for.
 *
 * @param text as it came: case, white space around it, and punctuation and quotes around it do not matter
 * @returns null for anything but one of the words alone. Throws nothing. Source: transports, Status callbacks and inbound.
 */
export const keywordOf = (text: string): Keyword | null =>
  text.length > MAX_CHARACTERS ? null : (CLASS_OF.get(folded(text)) ?? null);
