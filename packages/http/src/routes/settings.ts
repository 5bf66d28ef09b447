import type { Channel } from '@beckon/core';
import { succeed } from '../pipeline/envelope.ts';
import { DEFAULT_BODY_CAP, type ProjectRoute } from '../route.ts';

/** What a channel of a project is set to: credentials of providers, written and never read back. */
export const settingsRoutes = (channel: Channel): readonly ProjectRoute[] => {
  const common = { shape: 'both', kind: 'secret', needs: 'project', path: `/${channel}/settings` } as const;
  // Both merge. Source: contract, Settings.
  const change = (method: 'PUT' | 'POST'): ProjectRoute => ({
    ...common,
    method,
    scope: `${channel}:write`,
    bodyCap: DEFAULT_BODY_CAP,
    run: async (beckon, { scope, body }) => succeed(await beckon.settings.put(scope, channel, body)),
  });
  return [
    {
      ...common,
      method: 'GET',
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
      scope: `${channel}:send`,
      bodyCap: null,
      run: async (beckon, { scope }) => succeed(await beckon.settings.test(scope, channel)),
    },
  ];
};
