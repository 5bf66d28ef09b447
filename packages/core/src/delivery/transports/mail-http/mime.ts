import type { EmailMessage } from '../port.ts';
import { foldHeaders } from '../smtp/fold.ts';
import { mailOf } from '../smtp/mail.ts';

/**
 * The bytes of a mail as SMTP would send them, for providers that take a whole mail. The first mail imports nodemailer.
 */
export const mimeOf = async (message: EmailMessage, now: Date): Promise<Uint8Array> => {
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  transport.use('stream', foldHeaders);
  const { message: bytes } = await transport.sendMail(mailOf(message, now));
  if (!Buffer.isBuffer(bytes)) throw new TypeError('a mail was not built in memory');
  return bytes;
};
