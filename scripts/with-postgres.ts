// Runs a command with a separate PostgreSQL server, whose URL replaces `@url` among the arguments.
import { spawn } from 'node:child_process';
import { startPostgres } from '../packages/core/test/support/postgres-server.ts';

const [command, ...args] = process.argv.slice(2);
if (!command) throw new Error('give a command');
const server = await startPostgres();
try {
  const child = spawn(
    command,
    args.map((arg) => (arg === '@url' ? server.url : arg)),
    { stdio: 'inherit' },
  );
  process.exitCode = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
} finally {
  await server.stop();
}
