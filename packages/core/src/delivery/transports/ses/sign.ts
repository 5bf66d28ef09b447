import { createHash, createHmac } from 'node:crypto';
import { compact } from '../../../foundation/compact.ts';

/** AWS access keys. */
export type AwsKeys = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
};

export type SignedRequest = {
  readonly method: string;
  readonly host: string;
  /** Without a query; only characters that need no encoding. */
  readonly path: string;
  /** In addition to `host` and the headers of the signature. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
};

const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Uint8Array, data: string): Buffer => createHmac('sha256', key).update(data).digest();

/**
 * Headers that sign a request, including `authorization`. The input headers must be sent as well. Source: AWS,
 * Signature Version 4: create a signed request.
 */
export const signedHeaders = (
  { method, host, path, headers, body }: SignedRequest,
  { accessKeyId, secretAccessKey, sessionToken }: AwsKeys,
  { region, service, now }: { readonly region: string; readonly service: string; readonly now: Date },
): Readonly<Record<string, string>> => {
  const stamp = now.toISOString().replace(/[-:]|\.\d{3}/g, '');
  const scope = `${stamp.slice(0, 8)}/${region}/${service}/aws4_request`;
  const added = {
    'x-amz-date': stamp,
    ...compact({ 'x-amz-security-token': sessionToken }),
  };
  const signed = Object.entries({ ...headers, ...added, host })
    .map(([name, value]) => [name.toLowerCase(), value.trim()] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  const names = signed.map(([name]) => name).join(';');
  const lines = signed.map(([name, value]) => `${name}:${value}\n`).join('');
  const canonical = [method, path, '', lines, names, sha256(body)].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', stamp, scope, sha256(canonical)].join('\n');
  const key = scope.split('/').reduce<string | Uint8Array>((one, part) => hmac(one, part), `AWS4${secretAccessKey}`);
  const signature = hmac(key, toSign).toString('hex');
  return {
    ...added,
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  };
};
