// FCM on a port of this machine, and an agent that redirects the SDK's requests for fcm.googleapis.com to it.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { Agent } from 'node:https';
import { connect } from 'node:net';

/** A request to FCM. */
export type Request = {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly message: { readonly token: string; readonly [part: string]: unknown };
};

const UNREGISTERED = {
  error: {
    code: 404,
    status: 'NOT_FOUND',
    message: 'Requested entity was not found.',
    details: [{ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode: 'UNREGISTERED' }],
  },
};

/** Starts it. The token `gone` belongs to a device that has removed the app. */
export const fcm = async () => {
  const requests: Request[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    // Safe: the SDK writes it.
    const { message } = JSON.parse(Buffer.concat(chunks).toString()) as Pick<Request, 'message'>;
    const { url = '', headers } = request;
    requests.push({ url, headers, message });
    const isGone = message.token === 'gone';
    response.writeHead(isGone ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isGone ? UNREGISTERED : { name: `projects/shop/messages/${requests.length}` }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('FCM does not listen on a port');
  const agent = new Agent();
  // Without TLS: only Google has the certificate of fcm.googleapis.com.
  agent.createConnection = () => connect(address.port, '127.0.0.1');
  return {
    agent,
    requests,
    stop: async (): Promise<void> => {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
