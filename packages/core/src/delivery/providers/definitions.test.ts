import { describe, expect, it, onTestFinished } from 'vitest';
import { subscriptionJson } from '../../../test/support/push/subscription.ts';
import { pushMessage } from '../../../test/support/transports/push-message.ts';
import { systemClock } from '../../foundation/clock.ts';
import { silentLog } from '../../foundation/log.ts';
import type { SharedProviderToken } from '../transports/apns/token.ts';
import { generateVapidKeys } from '../transports/web-push/settings.ts';
import { providerDefinitions } from './definitions.ts';
import type { OutboundOptions } from './outbound.ts';

const log = silentLog;
const sharedToken: SharedProviderToken = { read: async () => null, replace: async (_, next) => next };

describe('a transport of Web Push', () => {
  const codeFor = async (endpoint: string, hasSeveralOrgs: boolean, outbound: OutboundOptions = {}) => {
    // The library checks the validity of its signature by the machine's clock.
    const of = { clock: systemClock, random: () => 0.5, log, hasSeveralOrgs: async () => hasSeveralOrgs, outbound };
    const settings = { ...(await generateVapidKeys()), subject: 'mailto:ops@acme.test' };
    const transport = await providerDefinitions(of)
      .webpush.read(settings)
      .make({ sharedToken, dkimOf: async () => null });
    onTestFinished(() => transport.close());
    const message = pushMessage({ platform: 'web', token: subscriptionJson({ endpoint }) });
    // The subscription's keys are invalid, so a host that is allowed fails there, and nothing is sent.
    const outcome = await transport.send(message, { signal: new AbortController().signal, attempt: 1 });
    return 'code' in outcome ? outcome.code : outcome.result;
  };

  it('Web Push reaches any public host in a deployment with one org, and only the known push services with several', async () => {
    expect(await codeFor('https://push.example.com/x', false)).not.toBe('blocked_address');
    expect(await codeFor('https://push.example.com/x', true)).toBe('blocked_address');
    for (const host of ['fcm.googleapis.com', 'web.push.apple.com', 'wns2.notify.windows.com'])
      expect(await codeFor(`https://${host}/x`, true)).not.toBe('blocked_address');
  });

  it("Web Push follows the operator's host rules for any number of orgs", async () => {
    const outbound = { webPush: { allowedHosts: ['push.example.com'] } };
    expect(await codeFor('https://push.example.com/x', true, outbound)).not.toBe('blocked_address');
    expect(await codeFor('https://fcm.googleapis.com/x', false, outbound)).toBe('blocked_address');
  });
});
