import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Network, startNetwork } from './network.ts';
import { type Service, startService } from './service.ts';

describe('mail through Postfix', () => {
  let network: Network;
  let service: Service;
  beforeAll(async () => {
    network = await startNetwork();
    service = await startService();
  });
  afterAll(async () => {
    await service?.stop();
    await network?.stop();
  });
  it('smoke', async () => {
    const id = await service.send({ to: 'ada@receiver.test', subject: 'Hello', text: 'Hello', html: '<p>Hello <a href="https://shop.test/x">x</a></p>' });
    console.log(JSON.stringify(await service.reaches(id, 'sent')));
    await new Promise((r) => setTimeout(r, 3000));
    console.log(network.mailbox('ada').join('=====\n'), network.relay.log(), network.receiver.log());
    expect(1).toBe(1);
  });
});
