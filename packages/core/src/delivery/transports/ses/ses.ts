import { compact } from '../../../foundation/compact.ts';
import type { MailAnswer, MailApi, Refusal } from '../mail-http/api.ts';
import { mimeOf } from '../mail-http/mime.ts';
import { idOf, textOf } from '../mail-http/outcome.ts';
import { asciiAddress } from '../mail-http/parts.ts';
import { type MailHttpOptions, mailHttpTransport } from '../mail-http/transport.ts';
import type { EmailTransport } from '../port.ts';
import { checkSes, type SesSettings } from './settings.ts';
import { signedHeaders } from './sign.ts';

const SEND = '/v2/email/outbound-emails';
const ACCOUNT = '/v2/email/account';

const originOf = (region: string): string =>
  `https://email.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;

/**
 * By error name. Source: SES API v2, SendEmail, Errors, and Common Errors. Errors of the whole account are
 * `credential`, because no mail with these credentials can be sent.
 */
const KINDS: ReadonlyMap<string, Refusal['kind']> = new Map([
  ['AccountSuspendedException', 'credential'],
  ['SendingPausedException', 'credential'],
  ['AccessDeniedException', 'credential'],
  ['ExpiredTokenException', 'credential'],
  ['IncompleteSignature', 'credential'],
  ['InvalidClientTokenId', 'credential'],
  ['InvalidSignatureException', 'credential'],
  ['MissingAuthenticationTokenException', 'credential'],
  ['NotAuthorized', 'credential'],
  ['OptInRequired', 'credential'],
  ['SignatureDoesNotMatch', 'credential'],
  ['UnrecognizedClientException', 'credential'],
  ['MailFromDomainNotVerifiedException', 'sender'],
  ['LimitExceededException', 'busy'],
  ['RequestExpired', 'busy'],
  ['ServiceUnavailable', 'busy'],
  ['ThrottlingException', 'busy'],
  ['TooManyRequestsException', 'busy'],
  ['BadRequestException', 'failed'],
  ['MessageRejected', 'failed'],
  ['NotFoundException', 'failed'],
  ['ValidationError', 'failed'],
]);
/** An address that SES cannot parse; the sender was checked when its domain was verified. */
const BAD_RECIPIENT =
  /^(?:Missing final '@domain'|Domain (?:contains|starts|ends)|Local address (?:contains|starts|ends))/;
/** An account in the SES sandbox, or an unverified identity. Source: SES, Email sending errors. */
const UNVERIFIED = /^Email address is not verified/;

const errorOf = ({ headers, body }: MailAnswer): string => {
  const header = headers['x-amzn-errortype'];
  const errorType = typeof header === 'string' ? header : textOf(body['__type'] ?? body['code']);
  // `Name:http://...` in the header, `namespace#Name` in a body.
  return errorType.replace(/:.*$/, '').replace(/^.*#/, '');
};

const refusal = (answer: MailAnswer): Refusal | null => {
  const code = errorOf(answer);
  const kind = KINDS.get(code);
  if (kind === undefined) return null;
  const message = textOf(answer.body['message'] ?? answer.body['Message']);
  if (code === 'BadRequestException' && BAD_RECIPIENT.test(message)) return { kind: 'bounced', code };
  if (code === 'MessageRejected' && UNVERIFIED.test(message)) return { kind: 'sender', code };
  return { kind, code };
};

const api = (settings: SesSettings): MailApi => {
  const { region, configurationSet } = settings;
  const signed = (
    now: Date,
    origin: string,
    { method, path, body = '' }: { readonly method: 'GET' | 'POST'; readonly path: string; readonly body?: string },
  ) => {
    const contentHeaders: Readonly<Record<string, string>> = body === '' ? {} : { 'content-type': 'application/json' };
    const { host } = new URL(origin);
    const added = signedHeaders({ method, host, path, headers: contentHeaders, body }, settings, {
      region,
      service: 'ses',
      now,
    });
    return { method, path, headers: { ...contentHeaders, ...added }, ...(body === '' ? {} : { body }) };
  };
  return {
    name: 'ses',
    label: 'Amazon SES',
    origin: originOf(region),
    send: async (message, now, origin) =>
      signed(now, origin, {
        method: 'POST',
        path: SEND,
        body: JSON.stringify({
          // The envelope: without it SES sends a raw mail to everyone in its headers.
          Destination: { ToAddresses: [asciiAddress(message.envelope.to)] },
          Content: { Raw: { Data: Buffer.from(await mimeOf(message, now)).toString('base64') } },
          EmailTags: [{ Name: 'messageId', Value: message.messageId }],
          ...compact({ ConfigurationSetName: configurationSet }),
        }),
      }),
    probe: (now, origin) => signed(now, origin, { method: 'GET', path: ACCOUNT }),
    providerId: ({ body }) => idOf(body['MessageId']),
    refusal,
    // A key that may only send is refused this read, after its signature was verified.
    isKnown: (answer) => errorOf(answer) === 'AccessDeniedException',
  };
};

/** Sends a whole mail, as over SMTP, through Amazon SES. SES replaces the Message-ID with its own. */
export const sesTransport = (settings: SesSettings, options: MailHttpOptions): EmailTransport<SesSettings> =>
  mailHttpTransport({ check: checkSes, api }, settings, options);
