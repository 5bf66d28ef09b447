import { once } from 'node:events';
import { connect } from 'node:http2';
import { describe, expect, it } from 'vitest';
import { http2Peer } from './http2-peer.ts';
import { TEST_CA } from './tls/fixtures.ts';

describe('HTTP/2 peer', () => {
  it('the peer sends GOAWAY on every connection that has not ended', async () => {
    const peer = await http2Peer({ maxConcurrentStreams: 10, request: ({ answer }) => answer(200) });
    const client = connect(peer.origin, { ca: TEST_CA });
    await once(client, 'remoteSettings');
    // Ended, while the connection is still in the peer's list.
    peer.kill();
    expect(peer.connections()).toBe(1);
    expect(() => peer.goaway()).not.toThrow();
    client.destroy();
    const other = connect(peer.origin, { ca: TEST_CA });
    await once(other, 'remoteSettings');
    const goaway = once(other, 'goaway');
    peer.goaway(0, 5);
    expect((await goaway).slice(0, 2)).toEqual([0, 5]);
    other.destroy();
    await peer.stop();
  });
});
