import { describe, expect, it } from 'vitest';
import { testScope } from '../../../test/support/scopes.ts';
import { virtualClock } from '../../foundation/clock.ts';
import type { Submit } from '../sends/accept/submit.ts';
import type { SendOptions } from '../sends/api.ts';
import type { SendRequest } from '../sends/schema.ts';
import { pushEngine } from './push.ts';

const scope = testScope({ orgId: 'o', projectId: 'p', environment: 'test' });

const make = () => {
  const submitted: { readonly request: SendRequest; readonly options: SendOptions | undefined }[] = [];
  const submit: Submit = async (_, request, options) => {
    // Proof of the cast: a body without a template is parsed at once.
    submitted.push({ request: request as SendRequest, options });
    return { dryRun: true, channel: 'push', recipients: 1, tokenCount: 1, suppressed: {}, messages: [] };
  };
  const engine = pushEngine({
    clock: virtualClock('2026-03-01T12:00:00.000Z'),
    submit,
    report: async () => true,
  });
  return { engine, submitted };
};

describe('pushEngine', () => {
  it('pushEngine submits the parsed body with the options of the call', async () => {
    const { engine, submitted } = make();
    const options: SendOptions = { idempotencyKey: 'order-17' };
    const body = { userIds: ['ann'], title: 'Hello' };
    const answer = await engine.send(scope, body, options);
    expect(answer).toMatchObject({ dryRun: true });
    expect(submitted).toMatchObject([{ request: { channel: 'push', title: 'Hello' }, options }]);
    expect(submitted[0]?.options).toEqual({ ...options, body });
  });

  it('pushEngine submits nothing for an invalid body', async () => {
    const { engine, submitted } = make();
    await expect(engine.send(scope, { userIds: ['ann'] })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(submitted).toEqual([]);
  });
});
