// HTTP requests of Amazon callbacks: certificates and subscription confirmations. Uses the SSRF-safe client and SNS
// addresses only.

import type { NetOptions } from '../../../delivery/transports/outbound/guarded-agent.ts';
import { guardedRequests } from '../../../delivery/transports/outbound/guarded-agent-request.ts';
import { BeckonError } from '../../../foundation/errors.ts';
import { certificateUrl, type FetchCertificate, snsUrl } from './sns.ts';

/** Time limit of one request, in milliseconds. Source: transports, Rules for every transport (3). */
const LIMIT_MS = 10_000;
/** Seconds after which the provider may retry. Chosen: one failed request passes quickly. */
const RETRY_SECONDS = 5;

/**
 * @param options `endpoint` replaces SNS after an address was verified as an SNS address: a relay, or a test server
 * @throws TypeError when an allowed network is invalid
 */
export const amazonRequests = ({ endpoint, ...options }: NetOptions & { readonly endpoint?: string }) => {
  const guarded = guardedRequests(options);
  const get = async (theirs: URL): Promise<Uint8Array> => {
    const url = endpoint === undefined ? theirs : new URL(theirs.pathname + theirs.search, endpoint);
    const confirmation = { url, method: 'GET', headers: {}, answer: 'read' } as const;
    const result = await guarded.request(confirmation, AbortSignal.timeout(LIMIT_MS));
    if (result.kind === 'answer' && result.status === 200) return result.body;
    throw new BeckonError('OVERLOADED', 'Amazon SNS did not respond. Post the notification again.', {
      retryAfterSeconds: RETRY_SECONDS,
    });
  };
  const fetchCertificate: FetchCertificate = async (url) => {
    if (certificateUrl(url.href) === null) throw new TypeError('not a certificate URL of SNS');
    return Buffer.from(await get(url)).toString('latin1');
  };
  return {
    fetchCertificate,
    confirm: async (address: string): Promise<void> => {
      const url = snsUrl(address);
      if (url === null) throw new TypeError('not a URL of SNS');
      await get(url);
    },
    close: guarded.close,
  };
};
