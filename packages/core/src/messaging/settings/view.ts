import type { Channel } from '../../foundation/channel.ts';
import {
  bounceDomain,
  type ChannelSettings,
  channelSettings,
  frequencyCap,
  quietHours,
  type SharedSettings,
  trackingSetting,
} from './schema.ts';

/** All settings of a scope, with defaults. */
export type DeliverySettings = SharedSettings & { readonly channels: ChannelSettings };

/** The stored name of a value. */
export const nameOf = (channel: Channel, key: string, isShared: boolean): string =>
  isShared ? key : `${channel}.${key}`;

/** Reads the values of a scope; an invalid one counts as not set. Pure. */
export const viewOf = (rows: readonly { readonly name: string; readonly value: unknown }[]): DeliverySettings => {
  const values = new Map(rows.map(({ name, value }) => [name, value]));
  const read = <T>(
    schema: { safeParse(value: unknown): { success: boolean; data?: T } },
    name: string,
  ): T | undefined => schema.safeParse(values.get(name)).data;
  const quiet = (channel: Channel) => read(quietHours, `${channel}.quietHours`) ?? quietHours.parse({});
  const zone = values.get('orgDefaultTimezone');
  return {
    orgDefaultTimezone: typeof zone === 'string' ? zone : null,
    frequencyCap: read(frequencyCap, 'frequencyCap') ?? frequencyCap.parse({}),
    addressFromTraits: values.get('addressFromTraits') !== false,
    channels: {
      push: {
        quietHours: quiet('push'),
        reactivateOnRegister: read(channelSettings.push.reactivateOnRegister, 'push.reactivateOnRegister') ?? false,
      },
      email: {
        quietHours: quiet('email'),
        tracking: read(trackingSetting, 'email.tracking') ?? trackingSetting.parse({}),
        providers: read(channelSettings.email.providers, 'email.providers') ?? [],
        bounceDomain: read(bounceDomain, 'email.bounceDomain') ?? null,
      },
      sms: { quietHours: quiet('sms'), providers: read(channelSettings.sms.providers, 'sms.providers') ?? [] },
    },
  };
};
