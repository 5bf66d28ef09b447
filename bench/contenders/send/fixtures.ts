import { createECDH, generateKeyPairSync, randomBytes } from 'node:crypto';
import type { OutboundOptions } from '../../../packages/core/src/delivery/providers/outbound.ts';
import type { providerSettings } from '../../../packages/core/src/delivery/providers/schema.ts';
import { TEST_CA } from '../../../packages/core/test/support/transports/tls/fixtures.ts';
import type { BenchedProvider } from '../../lib/benched.ts';
import { userId } from '../../lib/fixtures.ts';

/** Addresses of the stand-ins. */
export type Peers = {
  readonly apns: string;
  readonly fcm: string;
  readonly tokenUri: string;
  readonly webPush: string;
  readonly smtpPort: number;
  readonly twilio: string;
  readonly webhooks: string;
};

type SettingsOf = { readonly [P in BenchedProvider]: ReturnType<(typeof providerSettings)[P]['parse']> };

/** Input of every sender: the addresses of the stand-ins, and credentials that they accept. */
export type World = { readonly peers: Peers; readonly settings: SettingsOf; readonly ca: string };

const HEX = 16;
/** The From address. */
export const SENDER = 'news@shop.example.com';
const NUMBER = '+15550100100';

const pem = (type: 'ec' | 'rsa'): string => {
  const encoding = {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  } as const;
  return type === 'ec'
    ? generateKeyPairSync('ec', { namedCurve: 'P-256', ...encoding }).privateKey
    : generateKeyPairSync('rsa', { modulusLength: 2_048, ...encoding }).privateKey;
};

const vapidKeys = (): { readonly publicKey: string; readonly privateKey: string } => {
  const curve = createECDH('prime256v1');
  const publicKey = curve.generateKeys('base64url');
  return { publicKey, privateKey: curve.getPrivateKey().toString('base64url').padStart(43, 'A') };
};

/** New credentials for the stand-ins. */
export const worldOf = (peers: Peers): World => ({
  peers,
  ca: TEST_CA,
  settings: {
    apns: {
      keyId: 'KEY0000001',
      teamId: 'TEAM000001',
      key: pem('ec'),
      topic: 'com.example.shop',
      environment: 'production',
    },
    fcm: {
      serviceAccount: {
        project_id: 'bench',
        client_email: 'bench@bench.iam.gserviceaccount.com',
        private_key: pem('rsa'),
        token_uri: peers.tokenUri,
      },
    },
    webpush: { ...vapidKeys(), subject: 'mailto:ops@shop.example.com' },
    smtp: { host: '127.0.0.1', port: peers.smtpPort, secure: true, tls: 'required', from: SENDER, name: 'Shop' },
    twilio: { accountSid: `AC${'0'.repeat(2 * HEX)}`, authToken: randomBytes(HEX).toString('hex'), from: NUMBER },
  },
});

/** The operator's options for the stand-ins. */
export const outboundOf = ({ peers, ca }: World): OutboundOptions => ({
  allowCidrs: ['127.0.0.0/8'],
  ca,
  apns: { production: peers.apns, sandbox: peers.apns },
  fcm: { endpoint: peers.fcm, tokenUris: [peers.tokenUri] },
  smtp: { allowedPorts: [peers.smtpPort] },
  twilio: { endpoint: peers.twilio },
});

/** A browser's key. All subscriptions may share it, because each message is encrypted with its own key. */
const browser = createECDH('prime256v1');
const KEYS = {
  p256dh: browser.generateKeys('base64url'),
  auth: Buffer.from('0123456789abcdef').toString('base64url'),
};

export type PushProvider = Extract<BenchedProvider, 'apns' | 'fcm' | 'webpush'>;
export const PLATFORMS = { apns: 'ios', fcm: 'android', webpush: 'web' } as const satisfies Record<
  PushProvider,
  string
>;

/** The device token of a user. */
export const tokenOf = (provider: PushProvider, index: number, { peers }: World): string => {
  const digits = index.toString(HEX).padStart(8, '0');
  if (provider === 'apns') return digits.repeat(8);
  if (provider === 'fcm') return `fcm-${digits}:${'APA91b'.repeat(24)}`;
  return JSON.stringify({ endpoint: `${peers.webPush}/push/${'x'.repeat(120)}/${digits}`, keys: KEYS });
};
export const phoneOf = (index: number): string => `+1555${String(index).padStart(7, '0')}`;
export const emailOf = (index: number): string => `${userId(index)}@example.com`;

const PARAGRAPH =
  'Thank you for being with us. Your plan has been renewed until the end of the year, and there is nothing that you ' +
  'have to do. ';
/** About 1 KB. Source: transports, Costs per send. */
const LETTER = PARAGRAPH.repeat(8);
const DATA = { screen: 'orders', url: 'shop://orders/4711' };

/** Body of a send without its recipients, with two placeholders. */
export const contentOf = (provider: BenchedProvider): Readonly<Record<string, unknown>> => {
  if (provider === 'smtp')
    return { subject: 'Hello {{trait.firstName}}', text: `Hello {{trait.firstName}},\n\n${LETTER}\n\n{{trait.plan}}` };
  if (provider === 'twilio') return { body: 'Hello {{trait.firstName}}, your plan {{trait.plan}} has been renewed.' };
  return {
    title: 'Hello {{trait.firstName}}',
    body: 'Your plan {{trait.plan}} has been renewed until the end of the year.',
    data: DATA,
    ttlSeconds: 86_400,
  };
};
