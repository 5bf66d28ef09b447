import type { Beckon } from '@beckon/core';
import { type FetchInfo, fetchFace } from './fetch.ts';
import { type HandlerOptions, makeHandle } from './handler.ts';
import { type NodeFace, nodeFace } from './node.ts';

/** The HTTP interface, to be hung into a server. */
export type Handler = {
  /** For `node:http` and what is built on it. */
  readonly node: NodeFace;
  /** For hosts that speak `Request` and `Response`. Never rejects. */
  fetch(request: Request, info?: FetchInfo): Promise<Response>;
  /** From now on every answer of `node` asks its client to close the connection. Cannot be taken back. */
  drain(): void;
};

/**
 * Serves `/api/v1`, `/healthz`, `/readyz` and `/beckon-sw.js` over one Beckon.
 *
 * @param beckon stays the caller's: it is never closed here
 * @throws TypeError for a wrong `basePath` or `trustedProxies`
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
