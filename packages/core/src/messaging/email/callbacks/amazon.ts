// What the callbacks of Amazon need of the network: certificates, and confirmations of subscriptions. Over the guarded
// client, and to addresses of SNS alone.

import type { NetOptions } from '../../../delivery/transports/outbound/guarded-agent.ts';
import { guardedRequests } from '../../../delivery/transports/outbound/guarded-agent-request.ts';
import { BeckonError } from '../../../foundation/errors.ts';
import { certificateUrl, type FetchCertificate, snsUrl } from './sns.ts';

/** One request in all, in milliseconds. Source: transports, Rules for every transport (3). */
const LIMIT_MS = 10_000;
/** Seconds after which the provider may come again; ours. */
const RETRY_SECONDS = 5;

/**
 * @param options `endpoint` takes the place of SNS once an address was found to be one of it: a relay, or a stand-in
 * @throws TypeError when an allowed network is none
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
    if (certificateUrl(url.href) === null) throw new TypeError('this is no address of a certificate of SNS');
    return Buffer.from(await get(url)).toString('latin1');
  };
  return {
    fetchCertificate,
    confirm: async (address: string): Promise<void> => {
      const url = snsUrl(address);
      if (url === null) throw new TypeError('this is no address of SNS');
      await get(url);
    },
    close: guarded.close,
  };
};
