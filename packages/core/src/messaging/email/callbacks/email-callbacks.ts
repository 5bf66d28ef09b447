import { callbackSecretsOf, callbackSettings, type EmailCallbackProvider } from '../../callbacks/email-settings.ts';
import type { CallbackReader } from '../../callbacks/reader.ts';
import type { CallbackDefinition, CallbackSecrets } from '../../callbacks/secrets/secrets.ts';
import type { CallbackSource } from '../../callbacks/source.ts';
import { applyEmailCallback, type EmailCallbackContext } from './apply.ts';
import { mailgunReader } from './mailgun.ts';
import { postmarkReader } from './postmark.ts';
import { resendReader } from './resend.ts';
import { sendgridReader } from './sendgrid.ts';
import { sesReader } from './ses.ts';
import type { FetchCertificate } from './sns.ts';

const PROVIDERS = [
  'ses',
  'sendgrid',
  'postmark',
  'mailgun',
  'resend',
] as const satisfies readonly EmailCallbackProvider[];

/** Callback settings of projects. */
export const emailCallbackDefinitions: readonly CallbackDefinition[] = PROVIDERS.map((provider) => ({
  channel: 'email',
  provider,
  schema: callbackSettings[provider],
  secretsOf: callbackSecretsOf[provider],
}));

/** The callbacks of email providers: one entry per provider. */
export const emailCallbacks = ({
  fetchCertificate,
  secretsOf,
  ...deps
}: EmailCallbackContext & {
  readonly fetchCertificate: FetchCertificate;
  readonly secretsOf: CallbackSecrets['secretsOf'];
}): readonly CallbackSource[] => {
  const apply = applyEmailCallback(deps);
  const readers: readonly CallbackReader[] = [
    sesReader({ fetchCertificate }),
    sendgridReader(),
    postmarkReader(),
    mailgunReader(),
    resendReader(),
  ];
  return readers.map((reader) => ({
    channel: 'email',
    reader,
    secrets: (scope) => secretsOf(scope, 'email', reader.provider),
    apply,
  }));
};
