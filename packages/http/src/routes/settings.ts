import type { Channel } from '@beckon/core';
import { succeed } from '../pipeline/envelope.ts';
import { DEFAULT_BODY_CAP, type ProjectRoute } from '../route.ts';

/** Names of each channel's types. */
const TYPES = {
  push: { takes: 'PushSettingsInput', answer: { 200: 'PushSettings' } },
  email: { takes: 'EmailSettingsInput', answer: { 200: 'EmailSettings' } },
  sms: { takes: 'SmsSettingsInput', answer: { 200: 'SmsSettings' } },
} as const;

/** Settings of one channel of a project. Provider credentials are write-only. */
export const settingsRoutes = (channel: Channel): readonly ProjectRoute[] => {
  const common = { shape: 'both', kind: 'secret', needs: 'project', path: `/${channel}/settings` } as const;
  const { takes, answer } = TYPES[channel];
  // Both merge. Source: contract, Settings.
  const change = (method: 'PUT' | 'POST'): ProjectRoute => ({
    ...common,
    method,
    summary: 'Update the settings of a channel',
    description:
      'Settings that you omit keep their values; null restores the default, or removes the credentials of a provider. A new `orgDefaultTimezone` recomputes the audiences with the time zone `org`; they are `computing` until every profile is evaluated.',
    takes,
    answer,
    scope: `${channel}:write`,
    bodyCap: DEFAULT_BODY_CAP,
    run: async (beckon, { scope, body }) => succeed(await beckon.settings.update(scope, channel, body)),
  });
  return [
    {
      ...common,
      method: 'GET',
      summary: 'Get the settings of a channel',
      description: 'Contains which providers are configured. Credentials are never returned.',
      answer,
      scope: `${channel}:read`,
      bodyCap: null,
      run: async (beckon, { scope }) => succeed(await beckon.settings.get(scope, channel)),
    },
    change('PUT'),
    change('POST'),
    {
      ...common,
      method: 'POST',
      path: `/${channel}/settings/test`,
      summary: 'Test the credentials of providers',
      description: 'Calls each configured provider and returns whether it accepts the credentials. Nothing is sent.',
      answer: { 200: 'ProviderTests' },
      errors: ['PROVIDER_NOT_CONFIGURED'],
      scope: `${channel}:send`,
      bodyCap: null,
      run: async (beckon, { scope }) => succeed(await beckon.settings.test(scope, channel)),
    },
  ];
};
