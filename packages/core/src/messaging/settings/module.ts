import type { ProviderSettings } from '../../delivery/providers/credentials.ts';
import type { Channel } from '../../foundation/channel.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { Platform } from '../../platform/platform.ts';
import type { CallbackSettings } from '../callbacks/secrets/secrets.ts';
import type { SettingsReader } from './reader.ts';
import { type OnOrgZone, settingsApi } from './settings.ts';
import type { SettingsTables } from './tables.ts';

type Needs = {
  readonly reader: SettingsReader;
  readonly providers: ProviderSettings;
  readonly callbacks: CallbackSettings;
  /** Makes held messages of a channel due after its provider order changed in this process. */
  readonly resume: (scope: InScope, channel: Channel) => void;
  readonly onOrgZone: OnOrgZone;
};

export type SettingsPlatform = Platform<SettingsTables>;

/**
 * Settings, as projects read and change them. Built after sending, which provides `resume`; `reader` is built before
 * it.
 */
export const settingsModule = ({ storage, tables, clock }: SettingsPlatform, needs: Needs) => {
  const { reader, providers, callbacks, resume, onOrgZone } = needs;
  return {
    name: 'settings',
    api: settingsApi({ storage, tables, clock, reader, providers, callbacks, resume, onOrgZone }),
  };
};
