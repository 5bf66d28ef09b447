import type { Beckon } from '@beckon/core';
import { type FetchInfo, fetchFace } from './fetch.ts';
import { type HandlerOptions, makeHandle } from './handler.ts';
import { type NodeFace, nodeFace } from './node.ts';

/** The HTTP API, to mount in a server. */
export type Handler = {
  /** For `node:http` and frameworks built on it. */
  readonly node: NodeFace;
  /** For hosts that use `Request` and `Response`. Never rejects. */
  fetch(request: Request, info?: FetchInfo): Promise<Response>;
  /** Makes every later response of `node` ask its client to close the connection. Cannot be undone. */
  drain(): void;
};

/**
 * Serves `/api/v1`, `/healthz`, `/readyz` and `/beckon-sw.js` for one Beckon.
 *
 * @param beckon stays the caller's: the handler never closes it
 * @throws TypeError for an invalid `basePath` or `trustedProxies`
 */
export const createHandler = (beckon: Beckon, options: HandlerOptions = {}): Handler => {
  const handle = makeHandle(beckon, options);
  const state = { isDraining: false };
  return {
    node: nodeFace(handle, state),
    fetch: fetchFace(handle),
    drain: () => {
      state.isDraining = true;
    },
  };
};
