import { mkdirSync } from 'node:fs';
import { openBeckon } from './beckon.ts';
import { startServer } from './server.ts';

mkdirSync('data', { recursive: true, mode: 0o700 });
const beckon = await openBeckon({
  db: process.env['BECKON_DB'] ?? 'sqlite:data/beckon.db',
  masterKey: process.env['BECKON_MASTER_KEY'],
});
const server = await startServer(beckon, Number(process.env['PORT'] ?? 3000));
// Sends messages and runs workflows in this process.
beckon.worker.start();
console.log(`Listening on ${server.url}`);

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, async () => {
    await server.close();
    await beckon.close();
  });
