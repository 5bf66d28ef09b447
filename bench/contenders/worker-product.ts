// The built product from end to end: from the call that accepts an SMS until its provider has the request.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Core from '@beckon/core';
import { answerAs, type Side, type Start } from './worker/side.ts';

const ACCOUNT = `AC${'0'.repeat(32)}`;
const never = async (): Promise<never> => {
  throw new Error('only latency is measured here');
};

/** Accepts every message and reports its text. */
const provider = (told: (text: string) => void): Promise<string> => {
  let sids = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      told(new URLSearchParams(Buffer.concat(chunks).toString()).get('Body') ?? '');
      sids += 1;
      const sid = `SM${String(sids).padStart(32, '0')}`;
      response.writeHead(201, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ sid, account_sid: ACCOUNT, status: 'queued' }));
    });
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      // Safe: it listens on a port, so its address is neither null nor a path.
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    });
  });
};

const open = async ({ url, root }: Start): Promise<Side> => {
  let started: (key: string) => void = () => undefined;
  const endpoint = await provider((text) => started(text));
  // Safe: the file is built from the package that the types come from.
  const core = (await import(pathToFileURL(join(root, 'packages/core/dist/index.js')).href)) as typeof Core;
  const masterKey = randomBytes(32).toString('hex');
  const beckon = await core.createBeckon({ db: url, masterKey, outbound: { twilio: { endpoint } } });
  const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Bench' });
  const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'Project' });
  const scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'prod' });
  const twilio = { accountSid: ACCOUNT, authToken: 'token', from: '+15550100100' };
  await beckon.settings.update(scope, 'sms', { twilio });
  return {
    fill: async () => undefined,
    run: never,
    check: never,
    idle: async (told) => {
      started = told;
      beckon.worker.start();
      return {
        add: (key) => beckon.sms.send(scope, { to: '+15550100101', body: key }),
        stop: () => beckon.worker.stop(),
      };
    },
  };
};

answerAs(open);
