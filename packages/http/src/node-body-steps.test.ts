import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { dial, hangUp, post, sized } from '../test/support/dial.ts';
import { nodeFace } from './node.ts';

// Fakes only the timeouts of the adapter; those inside node:http keep running.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(async () => {
  vi.useRealTimers();
  await hangUp();
});

describe('reading a body in two steps', () => {
  /** Reads 64 KB, then optionally the rest; returns how much each step received. */
  const stepwise = (wantsRest: boolean) =>
    nodeFace(
      async (request) => {
        const start = await request.readBody(1_048_576, 1_000, 65_536);
        // For example while an owner is looked up.
        await sleep(20);
        const whole = wantsRest ? await request.readBody(1_048_576, 1_000) : null;
        const isSame = whole !== null && start.every((byte, at) => whole[at] === byte);
        return { status: 200, headers: {}, body: JSON.stringify({ data: [start.length, whole?.length, isSame] }) };
      },
      { isDraining: false },
    );
  const chunked = (pieces: readonly string[]): string =>
    post(
      '/x',
      'Transfer-Encoding: chunked\r\n',
      `${pieces.map((one) => `${one.length.toString(16)}\r\n${one}\r\n`).join('')}0\r\n\r\n`,
    );
  const lengths = (text: string): readonly unknown[] => JSON.parse(/\{"data":(.*?)\}/.exec(text)?.[1] ?? '[]');

  it.each([0, 1, 65_535, 65_536, 65_537, 200_000, 1_000_000])(
    'a body of %i bytes is complete after both steps',
    async (size) => {
      for (const text of [
        sized('/x', 'xy'.repeat(size / 2 + 1).slice(0, size)),
        chunked(['x'.repeat(size)].filter((one) => one !== '')),
      ]) {
        const { write, answers } = await dial({}, stepwise(true));
        write(text);
        const [start, whole, isSame] = lengths(await answers(1));
        expect([whole, isSame]).toEqual([size, true]);
        expect(start).toBeGreaterThanOrEqual(Math.min(size, 65_536));
      }
    },
  );

  it('the rest of a body is not waited for if the route does not need it', async () => {
    const { write, answers, whenClosed } = await dial({}, stepwise(false));
    write(`${post('/x', 'Content-Length: 1000000\r\n', 'x'.repeat(70_000))}`);
    expect(lengths(await answers(1))[0]).toBeLessThan(200_000);
    vi.advanceTimersByTime(1_000);
    expect(await whenClosed()).toBe('ended');
  });

  it('a short body leaves its connection usable, read or not', async () => {
    for (const wantsRest of [true, false]) {
      const { write, answers, isOpen } = await dial({}, stepwise(wantsRest));
      write(sized('/x', 'x'.repeat(65_536)));
      await answers(1);
      write(sized('/x', 'x'.repeat(10)));
      expect(await answers(2)).toContain(wantsRest ? '[10,10,true]' : '[10,null,false]');
      expect(isOpen()).toBe(true);
    }
  });

  it('a body over its cap is refused in either step', async () => {
    const face = (enough: number) =>
      nodeFace(
        async (request) => {
          const codeOf = (error: unknown) => (error instanceof Error ? error.message : 'none');
          const first = await request.readBody(100_000, 1_000, enough).then(() => 'read', codeOf);
          const second = first === 'read' ? await request.readBody(100_000, 1_000).then(() => 'read', codeOf) : '';
          return { status: 200, headers: {}, body: JSON.stringify({ data: [first, second] }) };
        },
        { isDraining: false },
      );
    const text = post('/x', 'Transfer-Encoding: chunked\r\n', `1e848\r\n${'x'.repeat(125_000)}\r\n`);
    for (const enough of [1_000, 200_000]) {
      const { write, answers } = await dial({}, face(enough));
      write(text);
      expect(await answers(1)).toMatch(/too large|more than|at most/);
    }
  });
});
