import type { Mutant } from '../../test/mutant.ts';

const CALLBACKS = ['packages/core/src/sms/callbacks/callbacks.db.test.ts'];

/** Rules of text messages, for `npm run campaign -- mutants sms`. */
export const mutants: readonly Mutant[] = [
  {
    says: 'a keyword is the whole message',
    file: 'keywords.ts',
    find: '(CLASS_OF.get(folded(text)) ?? null)',
    replace: "(CLASS_OF.get(folded(text).split(' ').at(-1) ?? '') ?? null)",
  },
  {
    says: 'a keyword may have punctuation around it',
    file: 'keywords.ts',
    find: "    .replaceAll(/^[\\p{P}\\s]+|[\\p{P}\\s]+$/gu, '')\n",
    replace: '    .trim()\n',
  },
  {
    says: 'accents of a keyword are nothing',
    file: 'keywords.ts',
    find: '[\\p{M}\\p{Cf}\\p{Cc}]',
    replace: '[\\p{Cf}\\p{Cc}]',
  },
  {
    says: 'Twilio signs every field of its form',
    file: 'callbacks/twilio.ts',
    find: '.map((value) => name + value))',
    replace: ".map((value) => (name === 'MessageStatus' ? name : name + value)))",
  },
  {
    says: 'of a form of too many fields nothing is read',
    file: 'callbacks/twilio.ts',
    find: '  if (hasTooManyFields(rawBody)) return fields;\n',
    replace: '',
  },
  {
    says: 'a URL is taken with the port that a proxy took away',
    file: 'callbacks/twilio.ts',
    find: "const usual = protocol === 'https:' ? 443 : 80;",
    replace: 'const usual = 80;',
  },
  {
    says: 'a callback of Telnyx is believed for 5 minutes',
    file: 'callbacks/telnyx.ts',
    find: "> WINDOW_MS ? 'stale' : null",
    replace: "> 2 * WINDOW_MS ? 'stale' : null",
  },
  {
    says: 'STOP is of the number that it was sent to',
    file: 'callbacks/inbound.ts',
    find: '    sender,\n  }));',
    replace: "    sender: '',\n  }));",
    tests: CALLBACKS,
  },
  {
    says: 'START lifts what STOP did',
    file: 'callbacks/inbound.ts',
    find: "started: keyword === 'start' ? entries : [],",
    replace: 'started: [],',
    tests: CALLBACKS,
  },
  {
    says: 'the provider is believed about its own keywords',
    file: 'callbacks/inbound.ts',
    find: 'event.keyword ?? keywordOf(body)',
    replace: 'keywordOf(body)',
    tests: CALLBACKS,
  },
  {
    says: 'the number tells whose a text is',
    file: 'callbacks/source.ts',
    find: 'if (naming.length > 0) return naming.map(({ scope }) => scope);',
    replace: '',
    tests: CALLBACKS,
  },
  {
    says: 'a URL that names its project means that one alone',
    file: 'callbacks/source.ts',
    find: "|| request.url.searchParams.has('k')",
    replace: '',
    tests: CALLBACKS,
  },
  {
    says: 'a report is of the message to that number alone',
    file: 'callbacks/source.ts',
    find: '|| (event.to !== undefined && event.to !== message.address)',
    replace: '',
    tests: CALLBACKS,
  },
  {
    says: 'marketing from a name is warned of, receipts are not',
    file: 'schema.ts',
    find: "rest.class === 'marketing' && rest.from",
    replace: 'rest.from',
  },
];
