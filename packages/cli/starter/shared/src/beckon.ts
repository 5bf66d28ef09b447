import { readdirSync, readFileSync } from 'node:fs';
import { type BeckonOptions, createBeckon } from '@beckon/core';

const WORKFLOWS = new URL('../workflows/', import.meta.url);

/** Opens Beckon and imports the workflows of this repository: git is where they are edited. */
export const openBeckon = async (options: Pick<BeckonOptions, 'db' | 'masterKey'>) => {
  const beckon = await createBeckon({
    ...options,
    // Both are found by name, and created the first time.
    org: { name: 'My company' },
    project: { name: 'My app' },
    // In `test` messages stay in the outbox. Configure a provider, then change this to `prod`.
    environment: 'test',
  });
  for (const file of readdirSync(WORKFLOWS).filter((name) => name.endsWith('.bundle.json')))
    await beckon.project.workflows.importBundle(JSON.parse(readFileSync(new URL(file, WORKFLOWS), 'utf8')));
  return beckon;
};

export type App = Awaited<ReturnType<typeof openBeckon>>;
