import type { Platform } from '../../platform/platform.ts';
import type { FindMessages } from './apply.ts';
import { callbacksEngine } from './callbacks.ts';
import { callbackEraser } from './erase.ts';
import type { PathTokens } from './path-token.ts';
import {
  type CallbackDefinition,
  type CallbackSecrets,
  callbackSecrets,
  sealedCallbackSecrets,
} from './secrets/secrets.ts';
import type { CallbackSource } from './source.ts';
import type { CallbackTables } from './tables.ts';
import { callbackUrls } from './urls.ts';

export type CallbacksPlatform = Platform<CallbackTables>;

type SecretNeeds = {
  /** Of all channels. */
  readonly definitions: readonly CallbackDefinition[];
  readonly tokens: PathTokens;
  /** Null: providers cannot reach this service. */
  readonly publicUrl: string | null;
};

/** Callback secrets. Built before settings, which show and change them. */
export const callbackSecretsModule = (platform: CallbacksPlatform, needs: SecretNeeds) => {
  const { storage, tables, clock, keyring, scopes, log } = platform;
  const { definitions, tokens, publicUrl } = needs;
  const urlOf = callbackUrls(publicUrl, tokens);
  const secrets: CallbackSecrets = callbackSecrets({ storage, tables, clock, keyring, definitions, urlOf, log });
  return {
    name: 'callback secrets',
    internal: secrets,
    sealedValues: [sealedCallbackSecrets({ storage, tables, scopes })],
  };
};

type Needs = {
  readonly tokens: PathTokens;
  readonly publicUrl: string | null;
  readonly find: FindMessages;
  /** The channels' callback sources. */
  readonly sources: readonly CallbackSource[];
};

/** Provider callbacks. Built after sending, which they report to. */
export const callbacksModule = (platform: CallbacksPlatform, needs: Needs) => {
  const { storage, tables, clock, ids, scopes, keyring, log } = platform;
  const { api, sweep } = callbacksEngine({ storage, tables, clock, ids, scopes, keyring, log, ...needs });
  const { receive, ...scoped } = api;
  return {
    name: 'callbacks',
    api: scoped,
    /** The request's signature replaces the scope. */
    openApi: { receive },
    erasers: [callbackEraser({ storage, tables })],
    maintenance: [{ name: 'callbacks', run: sweep }],
  };
};
