// Folds the headers of every mail. nodemailer folds at any white space, also at the one behind the colon: a value of more
// than 76 characters without a blank then stands below an empty first line. A relay that drops the white space before
// a value, and then signs the mail in simple canonicalisation, signs another text than receivers get: DKIM fails. Long runs
// of blanks become lines of blanks alone, which some servers take for the end of the headers.

import type { PluginFunction } from 'nodemailer/lib/mailer';
import type MimeNode from 'nodemailer/lib/mime-node';

/** Characters of a line, where one of its words is an encoded word. Source: RFC 2047, 2. */
const LINE_CHARACTERS = 76;

/** White space with the word behind it; the last one has the white space that ends the line. */
const WORDS = /[ \t]+[^ \t]+(?:[ \t]+$)?/g;

/** One header on one line, from lines as nodemailer folds them: it adds nothing but the ends of lines. */
const unfolded = (headers: string): readonly string[] => headers.replace(/\r?\n(?=[ \t])/g, '').split(/\r?\n/);

/**
 * One header on lines of 76 characters where its blanks allow it, longer where a word is longer. The first word of the
 * value stands on the line of the name, and each line holds a word. Without its ends of lines it is the same text. Throws
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

/** A plugin of nodemailer for its step `stream`: folds the headers of the mail and of its parts as `foldHeader` does. */
export const foldHeaders: PluginFunction = ({ message }, done) => {
  foldPart(message);
  done();
};
