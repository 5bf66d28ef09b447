import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { production, scripts } from './build-sdk.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Location of the script in the service, which depends on no client. */
export const sdkWorkerFile = fileURLToPath(
  new URL('../packages/http/src/service-worker/beckon-sw.json', import.meta.url),
);

/** The service worker script as the service serves it, in JSON. */
export const sdkWorker = async (): Promise<string> => {
  const made = await build({
    ...production,
    ...scripts['beckon-sw'],
    absWorkingDir: root,
    format: 'iife',
    write: false,
  });
  const text = made.outputFiles[0]?.text ?? '';
  return `${JSON.stringify({ text }, null, 2)}\n`;
};
