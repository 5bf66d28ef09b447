// Reads emails as they went over the wire, bytes as characters of Latin-1; enough for those that a test sends.

const bytesOfWord = (encoding: string, text: string): Buffer =>
  encoding.toUpperCase() === 'B'
    ? Buffer.from(text, 'base64')
    : Buffer.from(
        text.replaceAll('_', ' ').replace(/=([\dA-F]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
        'latin1',
      );

/** RFC 2047 words of UTF-8; white space between two of them is ignored. */
const decodedHeader = (text: string): string =>
  text
    .replace(/(\?=)\s+(=\?)/g, '$1$2')
    .replace(/(?:=\?utf-8\?[bq]\?[^?]*\?=)+/gi, (run) =>
      Buffer.concat(
        [...run.matchAll(/=\?utf-8\?([bq])\?([^?]*)\?=/gi)].map(([, how = '', what = '']) => bytesOfWord(how, what)),
      ).toString(),
    );

const headersOf = (block: string): Map<string, string> =>
  new Map(
    block
      .replace(/\r\n[ \t]+/g, ' ')
      .split('\r\n')
      .map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), decodedHeader(line.slice(colon + 1).trim())];
      }),
  );

/** Headers by name in lower case, unfolded and decoded, and the body. */
export const splitMail = (part: string): [Map<string, string>, string] => {
  const end = part.indexOf('\r\n\r\n');
  return [headersOf(part.slice(0, end)), part.slice(end + 4)];
};

/** The first text part, decoded. */
export const textOfMail = (part: string): string => {
  const [headers, body] = splitMail(part);
  const boundary = /boundary="?([^";]+)/.exec(headers.get('content-type') ?? '')?.[1];
  if (boundary !== undefined) return textOfMail(body.split(`--${boundary}`)[1]?.slice(2) ?? '');
  const encoding = headers.get('content-transfer-encoding') ?? '7bit';
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
  if (encoding !== 'quoted-printable') return Buffer.from(body, 'latin1').toString();
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([\dA-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
};
