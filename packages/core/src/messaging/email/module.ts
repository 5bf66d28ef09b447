import type { Storage } from '../../database/storage.ts';
import type { OutboundOptions } from '../../delivery/providers/outbound.ts';
import type { EmailMessage } from '../../delivery/transports/port.ts';
import type { Platform } from '../../platform/platform.ts';
import type { CallbackSecrets } from '../callbacks/secrets/secrets.ts';
import type { ChannelPort } from '../sends/channel.ts';
import type { Sending } from '../sends/sending.ts';
import type { LoadSettings } from '../settings/reader.ts';
import type { UseTemplate } from '../templates/use.ts';
import type { EmailApi } from './api.ts';
import { bouncesApi } from './bounces.ts';
import { amazonRequests } from './callbacks/amazon.ts';
import { emailCallbacks } from './callbacks/email-callbacks.ts';
import { emailChannel, emailEngine } from './email.ts';
import { emailOpens } from './opens.ts';
import { emailRenderer } from './render.ts';
import { htmlTracker } from './tracking.ts';
import type { TrackingTokens } from './tracking-tokens.ts';
import { unsubscribeLinks } from './unsubscribe-links.ts';

type ChannelNeeds = {
  /** Signs tracking tokens. */
  readonly links: TrackingTokens;
  readonly unsubscribeTokens: TrackingTokens;
  readonly publicUrl: string | null;
  /** Suppression list entries of addresses. */
  readonly states: NonNullable<ChannelPort<unknown>['states']>;
};

/** The email channel. */
export const emailContributions = ({ links, unsubscribeTokens, publicUrl, states }: ChannelNeeds) => {
  const render = emailRenderer(undefined, htmlTracker(links));
  const channel: ChannelPort<EmailMessage> = {
    ...emailChannel(render, unsubscribeLinks(unsubscribeTokens, publicUrl)),
    states,
  };
  return { name: 'email channel', internal: { channel } };
};

type CallbackNeeds = {
  readonly outbound: OutboundOptions | undefined;
  readonly sends: Pick<Sending, 'report' | 'reports'>;
  readonly secretsOf: CallbackSecrets['secretsOf'];
};

/** Callbacks of email providers. Built after sending, which they report to. */
export const emailCallbacksModule = ({ storage }: { readonly storage: Storage }, needs: CallbackNeeds) => {
  const { outbound, sends, secretsOf } = needs;
  const { fetchCertificate, confirm, close } = amazonRequests({ allowCidrs: outbound?.allowCidrs, ca: outbound?.ca });
  const { report, reports } = sends;
  const sources = emailCallbacks({ storage, reports, report, fetchCertificate, confirm, secretsOf });
  return { name: 'email callbacks', internal: { sources }, close };
};

type Needs = {
  readonly links: TrackingTokens;
  readonly publicUrl: string | null;
  readonly sends: Pick<Sending, 'submit' | 'report' | 'reports' | 'findOwner'>;
  readonly useTemplate: UseTemplate;
  readonly loadSettings: LoadSettings;
  /** True if the email of a call was already counted against its organization's limit. */
  readonly hasMailPermit: () => boolean;
  readonly scopeIdsOfAll: () => Promise<readonly number[]>;
};

/** Email sends, reports of their links, and bounces by email. Built after sending. */
export const emailModule = (
  { storage, clock, log }: Pick<Platform<unknown>, 'storage' | 'clock' | 'log'>,
  needs: Needs,
) => {
  const { links, publicUrl, sends, useTemplate, loadSettings, hasMailPermit, scopeIdsOfAll } = needs;
  const { submit, report, reports, findOwner } = sends;
  return {
    name: 'email',
    api: emailEngine({
      ...{ submit, useTemplate, publicUrl, hasMailPermit, join: storage.join },
      loadTracking: async (scope) => (await loadSettings([scope]))(scope).channels.email.tracking,
    }),
    /** The signed token replaces the scope. */
    openApi: emailOpens({ clock, tokens: links, report, log }) satisfies Pick<EmailApi, 'trackOpen' | 'trackClick'>,
    internal: { bounces: bouncesApi({ clock, findOwner, scopeIdsOfAll, reports }) },
  };
};
