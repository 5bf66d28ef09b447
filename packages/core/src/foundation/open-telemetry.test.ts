import { SpanStatusCode } from '@opentelemetry/api';
import { AlwaysOffSampler } from '@opentelemetry/sdk-trace';
import { describe, expect, it, onTestFinished } from 'vitest';
import { registerTelemetry, type TestTelemetry } from '../../test/support/telemetry.ts';
import { BeckonError } from './errors.ts';
import { silentLog } from './log.ts';
import { loadTelemetry } from './open-telemetry.ts';
import type { Tracing } from './telemetry.ts';

const setUp = async (
  options: Parameters<typeof registerTelemetry>[0] = {},
): Promise<{ readonly telemetry: TestTelemetry; readonly tracing: Tracing }> => {
  const telemetry = registerTelemetry(options);
  onTestFinished(telemetry.remove);
  const loaded = await loadTelemetry(silentLog);
  if (!loaded?.tracing) throw new Error('the tracer was not found');
  return { telemetry, tracing: loaded.tracing };
};

describe('spans', () => {
  it('a span of synchronous work ends with the work, and its result is passed on', async () => {
    const { telemetry, tracing } = await setUp();
    expect(tracing.trace('work', { attributes: {} }, () => 7)).toBe(7);
    expect(telemetry.named('work')).toHaveLength(1);
  });

  it('a span of asynchronous work ends with its promise', async () => {
    const { telemetry, tracing } = await setUp();
    const { promise, resolve } = Promise.withResolvers<number>();
    const result = tracing.trace('work', { attributes: {} }, () => promise);
    expect(telemetry.named('work')).toHaveLength(0);
    resolve(7);
    expect(await result).toBe(7);
    expect(telemetry.named('work')).toHaveLength(1);
  });

  it.each([
    ['a code', new BeckonError('NOT_FOUND', 'no ann@example.com'), 'NOT_FOUND'],
    ['a class', new RangeError('no ann@example.com'), 'RangeError'],
    ['neither', 'no ann@example.com', '_OTHER'],
    ['an address as its code', Object.assign(new Error('no'), { code: 'ann@example.com' }), '_OTHER'],
  ])('an error with %s fails its span by that, without its message', async (_, error, type) => {
    const { telemetry, tracing } = await setUp();
    const works: (() => unknown)[] = [
      () => {
        throw error;
      },
      () => Promise.reject(error),
    ];
    for (const work of works) {
      telemetry.reset();
      await expect(async () => tracing.trace('work', { attributes: {} }, work)).rejects.toBe(error);
      const [span] = telemetry.named('work');
      expect(span?.status).toEqual({ code: SpanStatusCode.ERROR });
      expect(span?.attributes).toEqual({ 'error.type': type });
      expect(span?.events).toEqual([]);
    }
  });

  it('the traceparent of a span that is not sampled says so', async () => {
    const { tracing } = await setUp({ sampler: new AlwaysOffSampler() });
    const traceparent = tracing.trace('work', { attributes: {} }, (span) => span.traceparent());
    expect(traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  });

  it('a span with more links than OpenTelemetry allows keeps the first 128', async () => {
    const { telemetry, tracing } = await setUp();
    const links = Array.from({ length: 200 }, (_, at) => ({
      traceId: '1'.repeat(32),
      spanId: at.toString(16).padStart(16, '1'),
      traceFlags: 1,
    }));
    tracing.trace('work', { attributes: {}, parent: null, links }, () => null);
    const [span] = telemetry.named('work');
    expect(span?.links.map(({ context }) => context)).toEqual(links.slice(0, 128));
    expect(span?.droppedLinksCount).toBe(0);
  });
});
