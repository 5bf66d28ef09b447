import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openBeckon } from '../src/beckon.ts';
import { startServer } from '../src/server.ts';

test('a sign-up sends the welcome email', async () => {
  const beckon = await openBeckon({ db: 'sqlite::memory:' });
  const server = await startServer(beckon, 0);
  try {
    const response = await fetch(`${server.url}/sign-up`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ userId: 'ada', email: 'ada@example.com', name: 'Ada' }),
    });
    assert.equal(response.status, 201);
    // Runs everything that is due now. `worker.start()` does the same in the background.
    await beckon.worker.drain();
    const { data } = await beckon.project.outbox.list({ userId: 'ada' });
    assert.deepEqual(
      data.map(({ address }) => address),
      ['ada@example.com'],
    );
  } finally {
    await server.close();
    await beckon.close();
  }
});
