import type { BeckonOptions } from '@beckon/core';
import type { Values } from './settings.ts';

/** Core's options for outbound traffic: messages, webhooks and AI calls. */
export type DeliveryOptions = Pick<BeckonOptions, 'publicUrl' | 'email' | 'sms' | 'ai' | 'sandbox' | 'outbound'>;

/** Core appends paths to these URLs. */
const withoutSlash = (url: string | undefined): string | undefined => url?.replace(/\/+$/, '');

const aiOptions = (values: Values): BeckonOptions['ai'] => {
  const [wire, baseUrl, key] = [values['ai.shared.wire'], values['ai.shared.baseUrl'], values['ai.shared.key']];
  return {
    models: {
      generate: values['ai.models.generate'],
      decide: values['ai.models.decide'],
      extract: values['ai.models.extract'],
    },
    // A self-hosted server needs no key; without URL and key there is no shared provider.
    shared: baseUrl === undefined && key === undefined ? undefined : { wire, baseUrl: withoutSlash(baseUrl), key },
  };
};

/** Delivery options of core from the configuration; undefined means core's default. Throws nothing. */
export const deliveryOptions = (values: Values): DeliveryOptions => {
  const apns = withoutSlash(values['endpoints.apns.url']);
  return {
    publicUrl: withoutSlash(values.publicUrl),
    email: {
      linkDays: values['email.linkDays'],
      requireVerifiedDomains: values['email.requireVerifiedDomains'],
      mailsPerMinute: values['email.mailsPerMinute'],
      dnsServers: values['email.dnsServers'],
    },
    sms: { resendOnAmbiguous: values['sms.resendOnAmbiguous'] },
    ai: aiOptions(values),
    sandbox: {
      callModels: values['sandbox.callModels'],
      deliverWebhookSteps: values['sandbox.deliverWebhookSteps'],
    },
    outbound: {
      allowCidrs: values['net.allowCidrs'],
      apns: apns === undefined ? undefined : { production: apns, sandbox: apns },
      fcm: { endpoint: withoutSlash(values['endpoints.fcm.url']), tokenUris: values['fcm.tokenUris'] },
      webPush: { allowedHosts: values['webpush.allowedHosts'] },
      smtp: { allowedPorts: values['smtp.allowedPorts'] },
      webhooks: { httpsOnly: values['webhooks.httpsOnly'] },
      twilio: { endpoint: withoutSlash(values['endpoints.twilio.url']) },
      telnyx: { endpoint: withoutSlash(values['endpoints.telnyx.url']) },
      ses: { endpoint: withoutSlash(values['endpoints.ses.url']) },
      sendgrid: { endpoint: withoutSlash(values['endpoints.sendgrid.url']) },
      postmark: { endpoint: withoutSlash(values['endpoints.postmark.url']) },
      mailgun: { endpoint: withoutSlash(values['endpoints.mailgun.url']) },
      resend: { endpoint: withoutSlash(values['endpoints.resend.url']) },
    },
  };
};
