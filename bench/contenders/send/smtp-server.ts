import { createServer, type TLSSocket } from 'node:tls';
import { TEST_CERT, TEST_KEY } from '../../../packages/core/test/support/transports/tls/fixtures.ts';
import type { Take } from './arrivals.ts';
import { listen } from './listen.ts';

const LINE = '\r\n';
/** The end of an email, after the rest of its text. Source: RFC 5321, 4.1.1.4. */
const END = '\r\n.\r\n';
const MESSAGE_ID = /^message-id: <([^@>]+)@/im;

const REPLIES: Readonly<Record<string, string>> = {
  EHLO: '250-bench\r\n250-8BITMIME\r\n250 SIZE 1000000\r\n',
  MAIL: '250 2.1.0 ok\r\n',
  RCPT: '250 2.1.5 ok\r\n',
  DATA: '354 go on\r\n',
  RSET: '250 2.0.0 ok\r\n',
  QUIT: '221 2.0.0 bye\r\n',
};

/** Reads commands line by line and emails as a whole; accepts all of them. */
const talk = (socket: TLSSocket, take: Take): void => {
  let rest = '';
  let isMail = false;
  let count = 0;
  const mail = (text: string): void => {
    isMail = false;
    count += 1;
    take(MESSAGE_ID.exec(text)?.[1] ?? '');
    socket.write(`250 2.0.0 ok: queued as ${count}\r\n`);
  };
  const command = (line: string): void => {
    const verb = line.slice(0, 4).toUpperCase();
    isMail = verb === 'DATA';
    socket.write(REPLIES[verb] ?? '502 5.5.1 no\r\n');
    if (verb === 'QUIT') socket.end();
  };
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    rest += chunk.toString('latin1');
    while (true) {
      const end = isMail ? END : LINE;
      const at = rest.indexOf(end);
      if (at === -1) return;
      const text = rest.slice(0, at);
      rest = rest.slice(at + end.length);
      if (isMail) mail(text);
      else command(text);
    }
  });
  socket.write('220 bench ESMTP\r\n');
};

/** A relay with TLS from the first byte and without login that accepts every email. Returns its port. */
export const smtpServer = (take: Take): Promise<number> =>
  listen(createServer({ key: TEST_KEY, cert: TEST_CERT }, (socket) => talk(socket, take)));
