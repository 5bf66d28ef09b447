import type { Providers } from '../../delivery/providers/module.ts';
import type { SmsMessage } from '../../delivery/transports/port.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { Emitter } from '../../people/events/emit.ts';
import type { Platform } from '../../platform/platform.ts';
import type { ChannelPort } from '../sends/channel.ts';
import type { Sending } from '../sends/sending.ts';
import type { Suppressions } from '../suppressions/suppressions.ts';
import type { UseTemplate } from '../templates/use.ts';
import { smsCallbacks } from './callbacks/source.ts';
import { statusCallbacks } from './callbacks/status-url.ts';
import { smsChannel, smsEngine } from './sms.ts';

type SmsPlatform = Pick<Platform<unknown>, 'storage' | 'scopes'>;

type ChannelNeeds = {
  readonly publicUrl: string | null;
  /** Suppression list entries of numbers. */
  readonly states: NonNullable<ChannelPort<unknown>['states']>;
};

/** The SMS channel. */
export const smsContributions = ({ scopes }: Pick<SmsPlatform, 'scopes'>, { publicUrl, states }: ChannelNeeds) => {
  const channel: ChannelPort<SmsMessage> = { ...smsChannel(), states };
  return { name: 'SMS channel', internal: { channel, statusCallback: statusCallbacks(scopes, publicUrl) } };
};

type CallbackNeeds = {
  readonly providers: Pick<Providers, 'source' | 'inbound'>;
  readonly sends: Pick<Sending, 'find' | 'reports'>;
  readonly suppressions: Pick<Suppressions, 'writes' | 'restoring'>;
  readonly emitter: Emitter;
  /** The user with this phone number in the profile; null: none. */
  readonly personWith: (scope: InScope, number: string) => Promise<string | null>;
};

/** Callbacks of SMS providers. Built after sending, which they report to. */
export const smsCallbackSources = ({ storage, scopes }: SmsPlatform, needs: CallbackNeeds) => {
  const { providers, sends, suppressions, emitter, personWith } = needs;
  const sources = smsCallbacks({
    storage,
    scopes,
    configured: providers.source.load,
    settingsOf: providers.inbound,
    scopesOfMessage: sends.find.scopesOf,
    newestTo: sends.find.newestTo,
    personWith,
    reports: sends.reports,
    emitter,
    lists: suppressions,
  });
  return { name: 'SMS callbacks', internal: { sources } };
};

type Needs = { readonly sends: Pick<Sending, 'submit'>; readonly useTemplate: UseTemplate };

/** SMS sends. Built after sending. */
export const smsModule = ({ sends, useTemplate }: Needs) => ({
  name: 'SMS',
  api: smsEngine({ sending: sends, useTemplate }),
});
