import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
/** Libraries of sign-in, and the files in which it hashes. */
const OF_SIGN_IN =
  /\/node_modules\/(?:@node-rs\/|openid-client|oauth4webapi|jose|@simplewebauthn|@peculiar|@node-saml|xml-crypto|@xmldom|piscina)|hash-thread|common-list/;

/** Runs a program of its own, since a test process has loaded everything, and returns the files that it loads. */
const loadedBy = async (work: string): Promise<readonly string[]> => {
  const program = `
    import { registerHooks } from 'node:module';
    import cjs from 'node:module';
    const loaded = new Set();
    registerHooks({ load: (url, context, next) => { loaded.add(url); return next(url, context); } });
    const { createBeckon, newMasterKey } = await import('@beckon/core');
    const beckon = await createBeckon({
      db: 'sqlite::memory:', masterKey: newMasterKey(), org: { name: 'Acme' }, project: { name: 'App' },
      publicUrl: 'https://auth.example',
    });
    await beckon.project.events.track({ eventType: 'viewed', module: 'shop', userId: 'ann' });
    ${work}
    await beckon.close();
    for (const file of Object.keys(cjs._cache)) loaded.add('file://' + file);
    console.log(JSON.stringify([...loaded]));
  `;
  const preload = `${ROOT}scripts/source-preload.mjs`;
  const args = ['--import', preload, '--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, maxBuffer: 10_000_000 });
  return JSON.parse(stdout);
};

describe('files that a program loads', () => {
  it('a program that signs nobody in loads none of the libraries of sign-in', async () => {
    const loaded = await loadedBy('');
    expect(loaded.some((url) => url.includes('better-sqlite3'))).toBe(true);
    expect(loaded.filter((url) => OF_SIGN_IN.test(url))).toEqual([]);
  });

  it('a program that signs a user up loads the thread pool of hashes', async () => {
    const loaded = await loadedBy(
      "await beckon.project.users.create({ email: 'ann@example.com', password: 'correct horse battery staple' });",
    );
    expect(loaded.filter((url) => OF_SIGN_IN.test(url)).join()).toContain('piscina');
  });

  it('a program whose host has not set up OpenTelemetry does not load it', async () => {
    const loaded = await loadedBy('');
    expect(loaded.filter((url) => url.includes('/@opentelemetry/'))).toEqual([]);
  });
});
