// Courier on a port of this machine: the subject of an email determines its result.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { EmailMessage } from '@beckon/core';
import type { Behaviour, StandIn } from '@beckon/core/testing';

type Mail = { readonly id: string; readonly to: string; readonly subject: string; readonly text: string };

const STATUS: Readonly<Record<Exclude<Behaviour, 'hang' | 'drop'>, number>> = {
  accept: 202,
  bounce: 410,
  refuse: 400,
  throttle: 429,
};
const isBehaviour = (text: string): text is keyof typeof STATUS => text in STATUS;
const KEY = 'courier-key-1';

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
};

const messageOf = (messageId: string, behaviour: Behaviour, text = 'Hello'): EmailMessage => ({
  messageId,
  sendId: 'send-1',
  envelope: { from: 'shop@example.com', to: 'ann@example.com' },
  from: { email: 'shop@example.com', name: null },
  to: { email: 'ann@example.com', name: 'Ann' },
  cc: [],
  replyTo: null,
  subject: behaviour,
  text,
  html: null,
  headers: {},
  attachments: [],
});

/** Starts one. An email with any other subject is accepted. */
export const courierStandIn = async (): Promise<
  StandIn<EmailMessage> & { readonly url: string; readonly key: string; mails(): readonly Mail[] }
> => {
  const mails: Mail[] = [];
  let working = 0;
  let peak = 0;
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.headers.authorization !== `Bearer ${KEY}`) return void response.writeHead(401).end();
    // Safe: the transport writes it.
    const mail = JSON.parse(await bodyOf(request)) as Mail;
    if (mail.subject === 'hang') return;
    if (mail.subject === 'drop') return void request.socket.destroy();
    const status = isBehaviour(mail.subject) ? STATUS[mail.subject] : 202;
    if (status === 202) mails.push(mail);
    await new Promise((resolve) => setImmediate(resolve));
    response.writeHead(status, status === 429 ? { 'retry-after': '30' } : {}).end();
  };
  const server = createServer((request, response) => {
    working += 1;
    peak = Math.max(peak, working);
    response.once('close', () => {
      working -= 1;
    });
    take(request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('Courier does not listen on a port');
  return {
    url: `http://127.0.0.1:${address.port}/mails`,
    key: KEY,
    mails: () => mails,
    message: messageOf,
    arrived: () => mails.map(({ id, text }) => ({ messageId: id, text })),
    peak: () => peak,
    secrets: [KEY, 'ann@example.com'],
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
