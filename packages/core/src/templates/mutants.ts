import type { Mutant } from '../../test/mutant.ts';

/** Rules of texts, for `npm run mutants -- templates`. */
export const mutants: readonly Mutant[] = [
  {
    says: 'tags compare without case, and _ is -',
    file: 'locale.ts',
    find: "tag.replaceAll('_', '-').toLowerCase()",
    replace: 'tag',
  },
  {
    says: 'a language of three letters is never cut',
    file: 'locale.ts',
    find: '/^([a-z]{2})-/',
    replace: '/^([a-z]{2})/',
  },
  {
    says: 'the exact tag comes before the language',
    file: 'locale.ts',
    find: '[wanted, language]',
    replace: '[language, wanted]',
  },
  {
    says: 'an empty entry counts as absent',
    file: 'locale.ts',
    find: ' && isPresent(entry)',
    replace: '',
  },
  {
    says: 'whoever finds no body among those by language is not told anything',
    file: '../push/content.ts',
    find: 'if (!isSaid(body.text) && (hasBodies || !isSaid(title.text)))',
    replace: 'if (!isSaid(body.text) && !isSaid(title.text))',
    tests: ['packages/core/src/push/content.test.ts'],
  },
  {
    says: 'a text message says nothing in a language that it does not have',
    file: '../sms/schema.ts',
    find: "return text === undefined || text === '' ? { unsupported: true }",
    replace: 'return text === undefined ? { unsupported: true }',
    tests: ['packages/core/src/sms/schema.test.ts'],
  },
  {
    says: 'no mail is of two languages',
    file: '../email/schema.ts',
    find: 'const bodies = isOwn ? { text, html, bodyHtml: undefined, preheader } : {};',
    replace: 'const bodies = isOwn ? { ...(text ? { text } : {}), ...(html ? { html } : {}) } : {};',
    tests: ['packages/core/src/email/schema.test.ts'],
  },
];
