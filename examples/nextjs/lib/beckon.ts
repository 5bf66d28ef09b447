import { createBeckon } from '@beckon/core';
import { createHandler } from '@beckon/http';
import { createServerClient } from '@beckon/sdk-js/node';

const open = async () => {
  const service = await createBeckon({
    db: 'sqlite::memory:',
    masterKey: process.env['BECKON_MASTER_KEY'],
    org: { name: 'Example' },
    project: { name: 'Shop' },
    // Webhooks go to public addresses only by default, and this application has none.
    outbound: { allowCidrs: ['127.0.0.1/32'] },
  });
  const { orgId, projectId } = service.project.scope;
  const grants = [{ orgId, projectId }];
  // In `test` the outbox stores every message; nothing leaves the machine.
  const { secret: apiKey } = await service.tenancy.createKey({ kind: 'secret', environment: 'test', grants });
  const handler = createHandler(service);
  // Within one process the client needs no socket.
  const fetch: typeof globalThis.fetch = (url, init) => handler.fetch(new Request(url, init));
  const beckon = createServerClient({ apiKey, baseUrl: 'http://beckon.internal', fetch });
  return { service, handler, beckon };
};

const held: typeof globalThis & { beckonExample?: ReturnType<typeof open> } = globalThis;

/** The Beckon of this process. Next.js bundles every route separately, so only the global object is shared. */
export const opened = (): ReturnType<typeof open> => {
  held.beckonExample ??= open();
  return held.beckonExample;
};
