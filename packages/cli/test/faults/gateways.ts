// In-process stand-ins for the providers of every channel, and their configuration: variables for a program, options for
// createBeckon, and settings for a scope. Each connected scope has separate credentials, which can be withdrawn.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Beckon, OutboundOptions, Scope } from '@beckon/core';
import { type ApnsPeer, apnsPeer } from '../../../core/test/support/transports/apns-peer.ts';
import { type FcmPeer, fcmPeer } from '../../../core/test/support/transports/fcm-peer.ts';
import { type Relay, startRelay } from '../../../core/test/support/transports/smtp-server.ts';
import { TEST_CA } from '../../../core/test/support/transports/tls/fixtures.ts';
import { type TwilioApi, twilioApi } from '../../../core/test/support/transports/twilio-api.ts';

const LOOPBACK = '127.0.0.0/8';
const SMS_SENDER = '+15550100100';

/**
 * Response time of each stand-in for an accepted message, in milliseconds; `slow` is that of APNs for slow tokens. Read for
 * every message.
 */
export type Pace = { apns: number; fcm: number; smtp: number; twilio: number; slow: number };

/** Input of `beckon.settings.update` per channel. */
export type Bodies = { readonly push: object; readonly email: object; readonly sms: object };

export type Gateways = {
  readonly apns: ApnsPeer;
  readonly fcm: FcmPeer;
  readonly relay: Relay;
  readonly twilio: TwilioApi;
  /** May change at any time; initially 0. */
  readonly pace: Pace;
  /** Valid passwords of the relay by user, and secrets of Twilio by account and user; may change at any time. */
  readonly users: Record<string, string>;
  readonly accounts: Record<string, Record<string, string>>;
  /** Variables that point the program at the stand-ins. */
  readonly env: Readonly<Record<string, string>>;
  /** Options that point `createBeckon` at the stand-ins. */
  readonly outbound: OutboundOptions;
  /** Creates new credentials that the stand-ins accept, without storing them. */
  bodies(): Bodies;
  /** Stores new credentials of every channel for `prod` of a project, and returns them. */
  connect(beckon: Pick<Beckon, 'settings' | 'tenancy'>, project: Project): Promise<Bodies>;
  stop(): Promise<void>;
};

type Project = { readonly orgId: string; readonly projectId: string };

/** The environment that sends real messages. */
export const prodOf = ({ tenancy }: Pick<Beckon, 'tenancy'>, { orgId, projectId }: Project): Promise<Scope> =>
  tenancy.scope({ orgId, projectId, environment: 'prod' });

/**
 * Starts all stand-ins on loopback with TLS. They accept any number of concurrent messages, FCM 100.
 *
 * @param clock their clock
 */
export const startGateways = async (clock: { now(): Date } = { now: () => new Date() }): Promise<Gateways> => {
  const pace: Pace = { apns: 0, fcm: 0, smtp: 0, twilio: 0, slow: 0 };
  const users: Record<string, string> = {};
  const accounts: Record<string, Record<string, string>> = {};
  const [apns, fcm, relay, twilio] = await Promise.all([
    apnsPeer({ takesMs: () => pace.apns, slowMs: () => pace.slow }),
    fcmPeer({ clock, isSecure: true, takesMs: () => pace.fcm }),
    startRelay(users, {}, () => pace.smtp),
    twilioApi({ accounts, now: () => clock.now(), takesMs: () => pace.twilio }),
  ]);
  const folder = mkdtempSync(join(tmpdir(), 'beckon-gateways-'));
  const ca = join(folder, 'ca.pem');
  writeFileSync(ca, TEST_CA);
  let made = 0;

  const bodies = (): Bodies => {
    made += 1;
    const user = `relay-user-${made}`;
    const accountSid = `AC${made.toString(16).padStart(32, '0')}`;
    users[user] = `relay-password-${made}`;
    accounts[accountSid] = { [accountSid]: `twilio-token-${made}` };
    return {
      push: { apns: apns.settings(), fcm: fcm.settings(`shop-${made}`) },
      email: {
        smtp: {
          host: '127.0.0.1',
          port: relay.port,
          secure: false,
          user,
          password: users[user],
          from: 'news@shop.test',
        },
      },
      sms: { twilio: { accountSid, authToken: `twilio-token-${made}`, from: SMS_SENDER } },
    };
  };

  return {
    apns,
    fcm,
    relay,
    twilio,
    pace,
    users,
    accounts,
    env: {
      NODE_EXTRA_CA_CERTS: ca,
      BECKON_NET_ALLOW_CIDRS: LOOPBACK,
      BECKON_ENDPOINTS_APNS_URL: apns.origin,
      BECKON_ENDPOINTS_FCM_URL: fcm.origin,
      BECKON_FCM_TOKEN_URIS: fcm.tokens.uri,
      BECKON_SMTP_ALLOWED_PORTS: String(relay.port),
      BECKON_ENDPOINTS_TWILIO_URL: twilio.endpoint,
    },
    outbound: {
      allowCidrs: [LOOPBACK],
      ca: TEST_CA,
      apns: { production: apns.origin, sandbox: apns.origin },
      fcm: { endpoint: fcm.origin, tokenUris: [fcm.tokens.uri] },
      smtp: { allowedPorts: [relay.port] },
      twilio: { endpoint: twilio.endpoint },
    },
    bodies,
    connect: async (beckon, project) => {
      const written = bodies();
      const scope = await prodOf(beckon, project);
      await beckon.settings.update(scope, 'push', written.push);
      await beckon.settings.update(scope, 'email', written.email);
      await beckon.settings.update(scope, 'sms', written.sms);
      return written;
    },
    stop: async () => {
      await Promise.all([apns.stop(), fcm.stop(), relay.stop(), twilio.stop()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
