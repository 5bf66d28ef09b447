import { type Log, virtualClock } from '@beckon/core';
import { createHandler } from '../../src/create-handler.ts';
import type { HandlerOptions } from '../../src/handler.ts';
import { fakeBeckon } from './fake-beckon.ts';

type Parts = { readonly key?: string; readonly body?: string; readonly headers?: Record<string, string> };

/** A handler over a fake, its recorded calls, its log, and a function that sends it requests. */
export const make = (overrides: Parameters<typeof fakeBeckon>[0] = {}, options: Pick<HandlerOptions, 'load'> = {}) => {
  const logged: { readonly level: string; readonly fields: object }[] = [];
  const at =
    (level: string): Log['info'] =>
    (fields) =>
      void logged.push({ level, fields });
  const { beckon, calls } = fakeBeckon(overrides);
  const handler = createHandler(beckon, {
    log: { info: at('info'), warn: at('warn'), error: at('error') },
    clock: virtualClock('2026-03-01T12:00:00.000Z'),
    ...options,
  });
  const send = async (method: string, path: string, { key = 'sk_prod_one', body, headers = {} }: Parts = {}) => {
    const response = await handler.fetch(
      new Request(`http://test${path}`, {
        method,
        headers: {
          ...(key !== '' && { 'x-api-key': key }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body }),
      }),
    );
    const text = await response.text();
    const isJson = text !== '' && response.headers.get('content-type')?.startsWith('application/json');
    return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : null };
  };
  return { send, calls, logged };
};
