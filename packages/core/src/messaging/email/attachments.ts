import { z } from 'zod';
import { isFileType } from '../../delivery/transports/smtp/media-type.ts';
import { jsonKeywords } from '../../foundation/json-keywords.ts';
import { isOneLine } from '../../foundation/one-line.ts';

/** Maximum files of one email. Chosen: more than people attach. */
const MAX_FILES = 20;
/** Maximum bytes of all files together. Source: contract, Send (700 KB). */
export const MAX_ATTACHED_BYTES = 700 * 1_024;
/** Maximum characters of a file name. Chosen: the limit of file systems. */
const MAX_FILENAME = 255;
/** Content type. Source: RFC 6838, 4.2 (127 characters each for type and subtype). */
const TYPE = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}$/;
const CONTENT_ID = /^[\w.@+-]{1,128}$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** A digit of base64. */
const DIGIT = '[A-Za-z0-9+/]';

const isBase64 = (text: string): boolean => text.length % 4 === 0 && BASE64.test(text);

/** Decoded size of a base64 text, in bytes, without decoding it. Throws nothing. */
export const decodedBytes = (base64: string): number =>
  (base64.length / 4) * 3 - (base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0);

const attachment = z.object({
  filename: z
    .string()
    .min(1)
    .max(MAX_FILENAME)
    .refine((name) => isOneLine(name) && !/[\\/]/.test(name), 'must be the name of a file without its folder')
    .register(jsonKeywords, { pattern: '^[^\\p{Cc}\\u2028\\u2029\\\\/]*$' })
    .describe('File name without folder. 1 to 255 characters.'),
  contentType: z
    .string()
    .regex(TYPE, 'must be a media type such as application/pdf, without parameters')
    .refine(isFileType, 'must be the type of a file; a mail goes as application/octet-stream')
    .describe('Media type, such as application/pdf.'),
  content: z
    .string()
    .refine(isBase64, 'must be base64 with its padding')
    .register(jsonKeywords, { pattern: `^(?:${DIGIT}{4})*${DIGIT}{2}(?:${DIGIT}{2}|${DIGIT}=|==)$` })
    .describe('Content of the file, in base64 with padding.'),
  cid: z
    .string()
    .regex(CONTENT_ID, 'must be letters, digits and . @ + - _, without angle brackets')
    .nullable()
    .default(null)
    .describe('Content id, to show the file in HTML as cid:ID. Null or omitted: an ordinary attachment.'),
});

/** `attachments` of an email. Unknown keys are dropped. */
export const attachments = z
  .array(attachment)
  .max(MAX_FILES)
  .superRefine((files, context) => {
    const bytes = files.reduce((sum, { content }) => sum + decodedBytes(content), 0);
    if (bytes > MAX_ATTACHED_BYTES)
      context.addIssue({ code: 'custom', message: `must have at most ${MAX_ATTACHED_BYTES} bytes together` });
  });
