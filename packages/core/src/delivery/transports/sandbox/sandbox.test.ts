import { describe, expect, it } from 'vitest';
import type { EmailMessage } from '../port.ts';
import { type Behaviour, transportContract } from '../testing/contract.ts';
import { sandboxTransport } from './sandbox.ts';

const locals: Record<Behaviour, string> = {
  accept: 'ann',
  bounce: 'sandbox-dead',
  refuse: 'sandbox-reject',
  throttle: 'sandbox-retry',
  hang: 'sandbox-slow',
  drop: 'drop',
};

const mail = (messageId: string, address: string, text = 'Hello'): EmailMessage => ({
  messageId,
  sendId: 's-1',
  envelope: { from: 'a@x.test', to: address },
  from: { email: 'a@x.test', name: null },
  to: { email: address, name: null },
  cc: [],
  replyTo: null,
  subject: text,
  text,
  html: null,
  headers: {},
  attachments: [],
});

const HOST = 'private-domain.test';
const outboxes = new WeakMap<object, (message: EmailMessage) => Promise<void>>();

const LOCAL = 'the sandbox is in this process and has no provider';

transportContract<EmailMessage, unknown>('sandbox', {
  settings: {},
  without: {
    retryAfter: 'the sandbox asks for no certain wait',
    hangingBody: LOCAL,
    silentPeer: LOCAL,
    refusedConnection: LOCAL,
    resets: LOCAL,
    oddAnswers: LOCAL,
    restart: LOCAL,
    ownLimit: 'nothing in the sandbox takes longer than its own pause',
    sockets: LOCAL,
    brokenSettings: 'the sandbox has no settings',
    logs: 'the sandbox writes no log',
    wrongCredential: 'the sandbox asks for none',
    sharing: LOCAL,
    size: 'the sandbox takes mail of any size',
  },
  start: async () => {
    const arrived: { messageId: string; text: string }[] = [];
    let now = 0;
    let peak = 0;
    const standIn = {
      message: (messageId: string, behaviour: Behaviour, text?: string) =>
        mail(messageId, `${locals[behaviour]}@${HOST}`, text),
      arrived: () => arrived,
      peak: () => peak,
      secrets: [HOST],
      stop: async () => undefined,
    };
    outboxes.set(standIn, async (message) => {
      now += 1;
      peak = Math.max(peak, now);
      await new Promise((resolve) => setImmediate(resolve));
      now -= 1;
      if (message.envelope.to.startsWith('drop')) throw new Error('the disk is full');
      arrived.push({ messageId: message.messageId, text: JSON.stringify(message) });
    });
    return standIn;
  },
  make: (standIn) =>
    sandboxTransport({ record: outboxes.get(standIn) ?? (() => Promise.reject()), slowMs: 60_000, maxInFlight: 32 }),
});

describe('sandbox addresses', () => {
  const open = (slowMs = 0) => {
    const recorded: string[] = [];
    const transport = sandboxTransport<EmailMessage>({
      record: async ({ envelope }) => {
        recorded.push(envelope.to);
      },
      slowMs,
    });
    const send = (address: string, fields: Partial<EmailMessage> = {}) =>
      transport.send({ ...mail('m', address), ...fields }, { signal: new AbortController().signal, attempt: 1 });
    return { recorded, send };
  };

  it('sandbox words count only at the beginning of the local part, in either case', async () => {
    const { send } = open();
    expect(await send('SANDBOX-DEAD+7@x.test')).toMatchObject({ result: 'failed' });
    expect(await send('my-sandbox-dead@x.test')).toMatchObject({ result: 'accepted' });
    expect(await send('ann@sandbox-dead.test')).toMatchObject({ result: 'accepted' });
  });

  it('simulated addresses name the later report, with a label or without', async () => {
    const { recorded, send } = open();
    for (const simulated of ['delivered', 'bounced', 'complained'] as const) {
      expect(await send(`${simulated}@sandbox.invalid`)).toEqual({ result: 'accepted', providerId: null, simulated });
      expect(await send(`${simulated.toUpperCase()}+a.b@sandbox.invalid`)).toMatchObject({ simulated });
    }
    expect(recorded).toHaveLength(6);
    for (const address of ['delivered@x.invalid', 'undelivered@sandbox.invalid', 'delivered2@sandbox.invalid'])
      expect(await send(address)).toEqual({ result: 'accepted', providerId: null });
  });

  it('the sandbox refuses what the real transport would not send, and records nothing', async () => {
    const { recorded, send } = open();
    const file = { filename: 'a.txt', contentType: 'text/plain', content: 'aGk=', cid: null };
    for (const fields of [
      { to: { email: 'ann@x.test', name: 'a\tb' } },
      { headers: { 'X-A': 'a\tb' } },
      { attachments: [{ ...file, filename: 'a\tb' }] },
      { attachments: [{ ...file, contentType: 'message/rfc822' }] },
    ])
      expect(await send('ann@x.test', fields)).toMatchObject({ result: 'failed', code: 'invalid_message' });
    expect(recorded).toEqual([]);
    expect(await send('ann@x.test', { attachments: [file] })).toMatchObject({ result: 'accepted' });
  });

  it('the sandbox address of a slow provider accepts after a delay', async () => {
    const { recorded, send } = open(30);
    const began = performance.now();
    expect(await send('sandbox-slow@x.test')).toEqual({ result: 'accepted', providerId: null });
    expect(performance.now() - began).toBeGreaterThan(25);
    expect(recorded).toEqual(['sandbox-slow@x.test']);
  });
});
