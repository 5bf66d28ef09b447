import type { Mutant } from '../../test/mutant.ts';

/** Rules of mail, for `npm run campaign -- mutants email`. */
export const mutants: readonly Mutant[] = [
  {
    says: 'no link leads to a host that a value says',
    file: 'tracked-html.ts',
    find: ' || !isOwnHost(html, href)) return null;',
    replace: ') return null;',
  },
  {
    says: "a host is the template's own only with what ends it",
    file: 'tracked-html.ts',
    find: '[^/\\\\?#]+[/\\\\?#]/i;',
    replace: '[^/\\\\?#]+/i;',
  },
  {
    says: 'an empty value counts as a part of the host',
    file: 'tracked-html.ts',
    find: 'firstTouching(values, start,',
    replace: 'firstTouching(values.filter((one) => one.end > one.start), start,',
  },
  {
    says: 'a number needs no semicolon',
    file: 'html-urls.ts',
    find: '(?:#(\\d+);?|',
    replace: '(?:#(\\d+);|',
  },
  {
    says: 'a value chooses no scheme but four',
    file: 'html-urls.ts',
    find: 'SCHEMES.has(scheme) || ',
    replace: 'scheme || ',
  },
  {
    says: 'the scheme of the template stays',
    file: 'html-urls.ts',
    find: ' || isOwn) return [];',
    replace: ') return [];',
  },
  {
    says: 'tabs and line breaks hide no scheme',
    file: 'html-urls.ts',
    find: "replace(/[\\t\\n\\r]/g, '')",
    replace: "replace(/[\\r]/g, '')",
  },
  {
    says: 'a preheader stands before no doctype',
    file: 'preheader.ts',
    find: '!isEnd && !BEFORE_BODY.has(name)',
    replace: '!isEnd || name === ""',
  },
  {
    says: 'a text begins the content of a mail without a body',
    file: 'preheader.ts',
    find: 'Math.min(firstText ?? end, first?.start ?? end)',
    replace: '(first?.start ?? end)',
  },
  {
    says: 'a link is not served for ever',
    file: 'tracking-tokens.ts',
    find: '  if (seconds() * 1_000 < sinceMs) return null;',
    replace: '  if (seconds() < 0) return null;',
  },
  {
    says: 'a file is none whose type may not be encoded',
    file: 'attachments.ts',
    find: 'isFileType,',
    replace: '() => true,',
  },
  {
    says: 'SNS is believed for the topics of the project alone',
    file: 'callbacks/sns.ts',
    find: "if (!topics.some((own) => isSameSecret(topic, own))) return 'bad_signature';",
    replace: '',
  },
  {
    says: 'certificates come from hosts of SNS alone',
    file: 'callbacks/sns.ts',
    find: 'return isTheirs && HOST.test(url.hostname) ? url : null;',
    replace: 'return isTheirs ? url : null;',
  },
  {
    says: 'a certificate is one of SNS',
    file: 'callbacks/sns.ts',
    find: 'return leaf !== undefined && isLinked && SUBJECT.test(leaf.subject) ? leaf : null;',
    replace: 'return leaf !== undefined && isLinked ? leaf : null;',
  },
  {
    says: 'a token of Mailgun is good once',
    file: 'callbacks/mailgun.ts',
    find: 'ids: [`token:${token}`, ...(id === null ? [] : [id])],',
    replace: 'ids: id === null ? [] : [id],',
  },
  {
    says: 'what Resend signed lapses',
    file: 'callbacks/resend.ts',
    find: "return isFresh(momentOfSeconds(timestamp), now, WINDOW_MS) ? null : 'stale';",
    replace: 'return null;',
  },
  {
    says: 'a bounce that may pass is not held against the address',
    file: 'callbacks/sendgrid.ts',
    find: "isPermanent: event['type'] === 'bounce', code",
    replace: 'isPermanent: true, code',
  },
  {
    says: 'links to unsubscribe are of marketing alone',
    file: 'unsubscribe-links.ts',
    find: "sendClass === 'marketing' && canUnsubscribe(publicUrl)",
    replace: 'canUnsubscribe(publicUrl)',
    tests: ['packages/core/src/email/unsubscribe-links.test.ts'],
  },
  {
    says: 'a full mailbox is no reason to give an address up',
    file: 'bounce-mail.ts',
    find: '!/^5\\.(?:2\\.2|3\\.4|7\\.\\d+)$/.test(status)',
    replace: 'status !== null',
    tests: ['packages/core/src/email/bounce-mail.test.ts'],
  },
  {
    says: 'a delay is no bounce',
    file: 'bounce-mail.ts',
    find: "first(fields, 'action').toLowerCase() === 'failed' && status !== undefined",
    replace: 'status !== undefined',
    tests: ['packages/core/src/email/bounce-mail.test.ts'],
  },
];
