// Folds the headers of every mail. nodemailer folds at any white space, even after the colon: a value of more than 76
// characters without a blank then follows an empty first line. A relay that drops the white space before a value and
// then signs the mail in simple canonicalization signs another text than receivers get, so DKIM fails. Long runs of
// blanks become lines of only blanks, which some servers read as the end of the headers.

import type { PluginFunction } from 'nodemailer/lib/mailer';
import type MimeNode from 'nodemailer/lib/mime-node';

/** Maximum characters of a line that contains an encoded word. Source: RFC 2047, 2. */
const LINE_CHARACTERS = 76;

/** White space with the word after it; the last match includes the trailing white space. */
const WORDS = /[ \t]+[^ \t]+(?:[ \t]+$)?/g;

/** One header on one line. nodemailer adds only line ends when it folds. */
const unfolded = (headers: string): readonly string[] => headers.replace(/\r?\n(?=[ \t])/g, '').split(/\r?\n/);

/**
 * One header on lines of at most 76 characters if its blanks allow it, longer if a word is longer. The first word of
 * the value is on the line of the name, and each line holds a word. Without its line ends it is the same text. Throws
 * nothing.
 *
 * @param header name, colon and value on one line
 */
export const foldHeader = (header: string): string => {
  if (header.length <= LINE_CHARACTERS) return header;
  const name = header.slice(0, header.indexOf(':') + 1);
  const [first = '', ...words] = header.slice(name.length).match(WORDS) ?? [];
  let lines = '';
  let line = name + first;
  for (const word of words) {
    if (line.length + word.length <= LINE_CHARACTERS) line += word;
    else {
      lines += `${line}\r\n`;
      line = word;
    }
  }
  return lines + line;
};

const foldPart = (part: MimeNode): void => {
  const build = part.buildHeaders.bind(part);
  part.buildHeaders = () => unfolded(build()).map(foldHeader).join('\r\n');
  for (const child of part.childNodes) foldPart(child);
};

/** A nodemailer plugin for the step `stream`: folds the headers of the mail and of its parts with `foldHeader`. */
export const foldHeaders: PluginFunction = ({ message }, done) => {
  foldPart(message);
  done();
};
