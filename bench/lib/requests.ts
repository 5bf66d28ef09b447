import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ID_MARK } from './fixtures.ts';

/** What a load program in a process of its own is told. */
export type Order = {
  readonly port: number;
  readonly keys: readonly string[];
  readonly requestsFile: string;
  readonly seconds: number;
  readonly connections: number;
  readonly perSecond?: number | undefined;
};

/** One request of the file. Where its body holds `ID_MARK` a message id goes. */
export type Request = { readonly path: string; readonly key: string; readonly body: string };

/** The requests of a file, in order, with their keys. Throws when it is not such a file. */
export const readRequests = ({ requestsFile, keys }: Order): Request[] =>
  readFileSync(requestsFile, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [project, path, body] = line.split('\t');
      const key = keys[Number(project)] ?? keys[0];
      if (path === undefined || body === undefined || key === undefined) throw new Error('not a file of requests');
      return { path, key, body };
    });

/** Where in a text message ids go. */
export const markedIn = (text: string): number[] =>
  [...text.matchAll(new RegExp(ID_MARK, 'g'))].map(({ index }) => index);

/** A message id as SDKs make them. */
export const messageId = (): string => randomUUID();
