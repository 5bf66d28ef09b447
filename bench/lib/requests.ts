import { readFileSync } from 'node:fs';
import { ID_MARK } from './fixtures.ts';

/** What a load program in a process of its own is told. */
export type Order = {
  readonly port: number;
  readonly keys: readonly string[];
  readonly requestsFile: string;
  readonly seconds: number;
  readonly connections: number;
  /** Begins every message id of this order. */
  readonly nonce: string;
};

/** One request of the file; `idAt` is where in the body a message id goes, or -1. */
export type Request = { readonly path: string; readonly key: string; readonly body: string; readonly idAt: number };

/** The requests of a file, in order, with their keys. Throws when it is not such a file. */
export const readRequests = ({ requestsFile, keys }: Order): Request[] =>
  readFileSync(requestsFile, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [project, path, body] = line.split('\t');
      const key = keys[Number(project)] ?? keys[0];
      if (path === undefined || body === undefined || key === undefined) throw new Error('not a file of requests');
      return { path, key, body, idAt: body.indexOf(ID_MARK) };
    });

/** Message ids that were never given before. */
export const messageIds = (nonce: string): (() => string) => {
  let count = 0;
  return () => {
    count += 1;
    return `${nonce}${String(count).padStart(ID_MARK.length - nonce.length, '0')}`;
  };
};
