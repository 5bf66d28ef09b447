// Amazon SES according to its documentation: the signature is computed a second time, from the request as it arrived.

import { createHash, createHmac } from 'node:crypto';
import type { ApiRequest, MailApiRules } from './mail-api.ts';
import { jsonOf, textAt } from './mail-api-json.ts';
import { splitMail, textOfMail } from './mime-reader.ts';

const FORM =
  /^AWS4-HMAC-SHA256 Credential=([A-Z0-9]+)\/(\d{8})\/([a-z0-9-]+)\/ses\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/;
const hex = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
const mac = (key: string | Buffer, data: string): Buffer => createHmac('sha256', key).update(data).digest();

const signerOf = (secrets: Readonly<Record<string, string>>, request: ApiRequest): string | null => {
  const [, id = '', day = '', region = '', names = '', signature] =
    FORM.exec(request.headers.authorization ?? '') ?? [];
  const secret = secrets[id];
  const stamp = `${request.headers['x-amz-date']}`;
  if (secret === undefined || !names.split(';').includes('host') || !stamp.startsWith(day)) return null;
  const lines = names.split(';').map((name) => `${name}:${request.headers[name]}\n`);
  const canonical = `${request.method}\n${request.path}\n\n${lines.join('')}\n${names}\n${hex(request.body)}`;
  const signed = `AWS4-HMAC-SHA256\n${stamp}\n${day}/${region}/ses/aws4_request\n${hex(canonical)}`;
  const key = mac(mac(mac(mac(`AWS4${secret}`, day), region), 'ses'), 'aws4_request');
  return mac(key, signed).toString('hex') === signature ? id : null;
};

const error = (status: number, name: string, message: string) => ({
  status,
  headers: { 'x-amzn-ErrorType': `${name}:http://internal.amazon.com/coral/com.amazonaws.sesv2/` },
  body: { message },
});

/** @param secrets secret access key by access key id */
export const sesRules = (secrets: Readonly<Record<string, string>>): MailApiRules => ({
  credentialOf: (request) => signerOf(secrets, request),
  mailOf: (request) => {
    const json = jsonOf(request);
    if (typeof json === 'string') return json;
    if (request.path !== '/v2/email/outbound-emails') return 'no such operation';
    const raw = Buffer.from(textAt(json, 'Content', 'Raw', 'Data'), 'base64').toString('latin1');
    const [headers] = splitMail(raw);
    return {
      to: textAt(json, 'Destination', 'ToAddresses', 0),
      messageId: textAt(json, 'EmailTags', 0, 'Name') === 'messageId' ? textAt(json, 'EmailTags', 0, 'Value') : '',
      text: `${headers.get('subject')}\n${textOfMail(raw)}`,
      fields: { ...json, raw, headers: Object.fromEntries(headers) },
    };
  },
  replies: {
    accepted: (count) => ({ status: 200, body: { MessageId: `0107018b-${String(count).padStart(6, '0')}-000000` } }),
    bounced: error(400, 'BadRequestException', 'Domain contains illegal character'),
    refused: error(400, 'MessageRejected', 'Email contains a virus'),
    busy: error(429, 'TooManyRequestsException', 'Maximum sending rate exceeded.'),
    unauthorized: error(403, 'InvalidSignatureException', 'The request signature we calculated does not match.'),
    malformed: (problem) => error(400, 'BadRequestException', problem),
    read: { status: 200, body: { SendingEnabled: true } },
  },
});
