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

/** All that is set in one scope, with defaults where nothing is. */
export type DeliverySettings = SharedSettings & { readonly channels: ChannelSettings };

/** The name under which a value is kept. */
export const nameOf = (channel: Channel, key: string, isShared: boolean): string =>
  isShared ? key : `${channel}.${key}`;

/** Reads the values of one scope; one that no schema reads counts as not set. Pure. */
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
