import { describe, expect, it } from 'vitest';
import type { SendOutcome } from '../../../delivery/transports/port.ts';
import { callLimit } from './call-deadline.ts';

const accepted: SendOutcome = { result: 'accepted', providerId: null };
const forever = new Promise<SendOutcome>(() => undefined);

describe('callLimit', () => {
  it('a call that answers in time keeps its answer', async () => {
    const limit = callLimit(new AbortController().signal, 50);
    expect(await limit.within(Promise.resolve(accepted))).toBe(accepted);
    limit.dispose();
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(limit.signal.aborted).toBe(false);
  });

  it('a call that ignores its signal ends as retry at the limit', async () => {
    const limit = callLimit(new AbortController().signal, 10);
    expect(await limit.within(forever)).toMatchObject({ result: 'retry', code: 'timeout', processed: 'unknown' });
    expect(limit.signal.reason).toMatchObject({ name: 'TimeoutError' });
  });

  it('a call ends with the outer signal, even if it was aborted before', async () => {
    const outer = new AbortController();
    const limit = callLimit(outer.signal, 60_000);
    const call = limit.within(forever);
    outer.abort();
    expect(await call).toMatchObject({ result: 'retry' });
    limit.dispose();
    const late = callLimit(outer.signal, 60_000);
    expect(await late.within(forever)).toMatchObject({ result: 'retry' });
    late.dispose();
  });
});
