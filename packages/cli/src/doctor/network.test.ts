import { expect, it } from 'vitest';
import { fakeIo } from '../../test/support/fake-io.ts';
import { networkFindings } from './network.ts';

const io = fakeIo();
io.remove();
const config = { host: '127.0.0.1', port: 0, publicUrl: 'https://push.example' };
const asking = async (headers: Record<string, string>, status = 200) => {
  const fetch = async () => new Response('', { status, headers });
  const found = await networkFindings(config, { fetch, now: io.now }, true);
  return found.map(({ check, state, message }) => `${check} ${state} ${message}`);
};

it('doctor compares the clock of this machine with that of the public URL', async () => {
  const at = (ms: number) => ({ date: new Date(io.now().getTime() - ms).toUTCString() });
  expect(await asking(at(29_000))).toContain('clock ok this machine is 29 s ahead of the public URL');
  expect(await asking(at(30_000))).toContain(
    'clock warn this machine is 30 s ahead of the public URL: timedatectl set-ntp true',
  );
  expect(await asking(at(-60_000), 503)).toEqual([
    expect.stringContaining('port ok'),
    'publicUrl ok https://push.example',
    'reachable fail https://push.example answers 503 for /healthz',
    expect.stringContaining('clock warn this machine is -60 s ahead'),
  ]);
  expect((await asking({})).at(-1)).toMatch(/^clock skip /);
});
