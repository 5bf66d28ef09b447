import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sdkWorker, sdkWorkerFile } from './sdk-worker.ts';

describe('the service worker that the service serves', () => {
  it('is that of the client; `npm run openapi` writes it', async () => {
    expect(readFileSync(sdkWorkerFile, 'utf8')).toBe(await sdkWorker());
  });
});
