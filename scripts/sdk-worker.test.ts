import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sdkWorker, sdkWorkerFile } from './sdk-worker.ts';

describe('service worker script', () => {
  it('the served script equals that of the SDK; `npm run openapi` writes it', async () => {
    expect(readFileSync(sdkWorkerFile, 'utf8')).toBe(await sdkWorker());
  });
});
