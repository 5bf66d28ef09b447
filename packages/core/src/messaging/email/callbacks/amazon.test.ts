import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { TEST_CA, TEST_CERT, TEST_KEY } from '../../../../test/support/transports/tls/fixtures.ts';
import { amazonRequests } from './amazon.ts';

const SNS = 'https://sns.eu-west-1.amazonaws.com';
const LOOPBACK = ['127.0.0.0/8'];

describe('HTTP requests for Amazon callbacks', () => {
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  const open = async (answer: RequestListener, allowCidrs: readonly string[] = LOOPBACK) => {
    const requests: string[] = [];
    const server = createServer({ cert: TEST_CERT, key: TEST_KEY }, (request, response) => {
      requests.push(`${request.method} ${request.url}`);
      answer(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => new Promise((resolve) => server.close(resolve)));
    // Safe: a server that listens on a port has such an address.
    const { port } = server.address() as AddressInfo;
    const amazon = amazonRequests({ allowCidrs, ca: TEST_CA, endpoint: `https://127.0.0.1:${port}` });
    closing.push(amazon.close);
    return { amazon, asked: requests };
  };

  it('amazonRequests fetches a certificate as text and calls a confirmation URL', async () => {
    const { amazon, asked: requests } = await open((_, response) => response.end(TEST_CERT));
    expect(await amazon.fetchCertificate(new URL(`${SNS}/SimpleNotificationService-0.pem`))).toBe(TEST_CERT);
    await amazon.confirm(`${SNS}/?Action=ConfirmSubscription&Token=t`);
    expect(requests).toEqual(['GET /SimpleNotificationService-0.pem', 'GET /?Action=ConfirmSubscription&Token=t']);
  });

  it('requests go to SNS only', async () => {
    const { amazon, asked: requests } = await open((_, response) => response.end(TEST_CERT));
    for (const url of [`${SNS}/cert.txt`, 'https://sns.evil.test/c.pem', `${SNS}:8443/c.pem`, `${SNS}/c.pem?x=1`])
      await expect(amazon.fetchCertificate(new URL(url))).rejects.toThrow(TypeError);
    await expect(amazon.confirm('http://sns.eu-west-1.amazonaws.com/?Token=t')).rejects.toThrow(TypeError);
    expect(requests).toEqual([]);
  });

  it('failed requests make the provider retry, and redirects are not followed', async () => {
    const later = { code: 'OVERLOADED', retryAfterSeconds: 5 };
    for (const status of [302, 403, 503]) {
      const { amazon, asked: requests } = await open((_, response) =>
        response.writeHead(status, { location: '/x.pem' }).end(),
      );
      await expect(amazon.fetchCertificate(new URL(`${SNS}/c.pem`))).rejects.toMatchObject(later);
      await expect(amazon.confirm(`${SNS}/?Token=t`)).rejects.toMatchObject(later);
      expect(requests).toHaveLength(2);
    }
    const dropping = await open(({ socket }) => socket.destroy());
    await expect(dropping.amazon.confirm(`${SNS}/?Token=t`)).rejects.toMatchObject(later);
  });

  it('addresses that may not be connected to are blocked', async () => {
    const { amazon, asked: requests } = await open((_, response) => response.end(TEST_CERT), []);
    await expect(amazon.fetchCertificate(new URL(`${SNS}/c.pem`))).rejects.toMatchObject({ code: 'OVERLOADED' });
    expect(requests).toEqual([]);
  });
});
