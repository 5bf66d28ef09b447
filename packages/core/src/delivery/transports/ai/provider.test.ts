import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AiStandIn, startAi } from '../../../../test/support/transports/ai-stand-in.ts';
import { virtualClock } from '../../../foundation/clock.ts';
import { turnsUntil } from '../testing/turns.ts';
import { AI_WIRES, type AiProvider, type AiRequest, type AiWireName, type AnswerSchema } from './port.ts';
import { type AiProviderOptions, aiProvider, baseUrlProblem } from './provider.ts';

const KEY = 'sk-canary-of-the-key';
const SCHEMA: AnswerSchema = {
  type: 'object',
  properties: { choice: { type: 'string', enum: ['a', 'b'] } },
  required: ['choice'],
  additionalProperties: false,
};
const live = () => new AbortController().signal;

describe.each(AI_WIRES)('a provider that speaks %s', (wire: AiWireName) => {
  const clock = virtualClock('2026-03-01T10:00:00.000Z');
  let ai: AiStandIn;
  const opened: AiProvider[] = [];
  const open = (options: Partial<AiProviderOptions> = {}, key: string | null = KEY): AiProvider => {
    const made = aiProvider({ wire, baseUrl: ai[wire], key }, { clock, allowCidrs: ['127.0.0.0/8'], ...options });
    opened.push(made);
    return made;
  };
  const ask = (model: string, more: Partial<AiRequest> = {}): AiRequest => ({
    model,
    instruction: 'Say hello.',
    exchanges: [{ by: 'user', text: '{}' }],
    maxOutputTokens: 50,
    ...more,
  });

  beforeEach(async () => {
    ai = await startAi();
  });
  afterEach(async () => {
    await ai.stop();
    for (const one of opened.splice(0)) await one.close();
  });

  it("a completion has the answer's text and token counts", async () => {
    expect(await open().complete(ask('ok'), live())).toEqual({
      result: 'answered',
      text: 'hello',
      usage: { input: 12, output: 5 },
    });
  });

  it('a request follows the documentation of its format, with the instruction apart from the turns', async () => {
    const turns = [
      { by: 'user', text: 'one' },
      { by: 'model', text: 'two' },
      { by: 'user', text: 'three' },
    ] as const;
    await open().complete(ask('m', { exchanges: turns, temperature: 0.5, schema: SCHEMA }), live());
    const [{ path, headers, body } = { path: '', headers: {}, body: {} }] = ai.requests;
    expect(headers['content-type']).toBe('application/json');
    const said = [
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'two' },
      { role: 'user', content: 'three' },
    ];
    if (wire === 'openai') {
      expect(path).toBe('/v1/chat/completions');
      expect(headers.authorization).toBe(`Bearer ${KEY}`);
      expect(body).toEqual({
        model: 'm',
        messages: [{ role: 'system', content: 'Say hello.' }, ...said],
        max_tokens: 50,
        temperature: 0.5,
        response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: SCHEMA, strict: true } },
      });
    } else {
      expect(path).toBe('/anthropic/v1/messages');
      expect(headers).toMatchObject({ 'x-api-key': KEY, 'anthropic-version': '2023-06-01' });
      expect(body).toEqual({
        model: 'm',
        system: 'Say hello.',
        messages: said,
        max_tokens: 50,
        temperature: 0.5,
        tools: [{ name: 'answer', description: 'Gives the answer.', input_schema: SCHEMA }],
        tool_choice: { type: 'tool', name: 'answer' },
      });
    }
  });

  it('an answer with a schema is JSON', async () => {
    ai.say('{"choice":"a"}');
    expect(await open().complete(ask('ok', { schema: SCHEMA }), live())).toMatchObject({ text: '{"choice":"a"}' });
  });

  it('missing token counts are estimated as four characters per token', async () => {
    expect(await open().complete(ask('no-usage'), live())).toMatchObject({ usage: { input: 3, output: 2 } });
  });

  it.each([
    ['401', { result: 'credential', code: 'http_401' }],
    ['403', { result: 'credential', code: 'http_403' }],
    ['429', { result: 'retry', code: 'http_429' }],
    ['408', { result: 'retry', code: 'http_408' }],
    ['500', { result: 'retry', code: 'http_500' }],
    ['529', { result: 'retry', code: 'http_529' }],
    ['400', { result: 'failed', code: 'http_400' }],
    ['404', { result: 'failed', code: 'http_404' }],
    ['302', { result: 'failed', code: 'http_302' }],
    ['garbage', { result: 'failed', code: 'unreadable_answer' }],
    ['huge', { result: 'failed', code: 'unreadable_answer' }],
  ])('judges %s', async (model, outcome) => {
    const told = await open().complete(ask(model), live());
    expect(told).toEqual(outcome);
    expect(JSON.stringify(told)).not.toContain('canary');
  });

  it('the Retry-After of a busy provider is part of the outcome', async () => {
    ai.replyNext({ status: 429, headers: { 'retry-after': '7' } });
    expect(await open().complete(ask('ok'), live())).toEqual({
      result: 'retry',
      code: 'http_429',
      retryAfterMs: 7_000,
    });
  });

  it('a provider that hangs is left at the time limit', async () => {
    const telling = open({ limitMs: 80 }).complete(ask('hang'), live());
    expect(await turnsUntil(telling)).toBeLessThan(1_000);
    expect(await telling).toEqual({ result: 'retry', code: 'timeout' });
  });

  it('a completion rejects with the reason of its aborted signal', async () => {
    const controller = new AbortController();
    const call = open().complete(ask('hang'), controller.signal);
    setTimeout(() => controller.abort(new Error('stopped')), 20);
    await expect(call).rejects.toThrow('stopped');
  });

  it('a non-public address is reached only if the operator allows it', async () => {
    const told = await open({ allowCidrs: undefined }).complete(ask('ok'), live());
    expect(told).toEqual({ result: 'failed', code: 'blocked_address' });
    expect(ai.requests).toEqual([]);
  });

  it('a refused connection is an outcome to retry', async () => {
    const { [wire]: baseUrl } = ai;
    await ai.stop();
    const closed = aiProvider({ wire, baseUrl, key: KEY }, { clock, allowCidrs: ['127.0.0.0/8'] });
    expect(await closed.complete(ask('ok'), live())).toEqual({ result: 'retry', code: 'ECONNREFUSED' });
    await closed.close();
    ai = await startAi();
  });
});

describe('base URLs of providers', () => {
  it('a base URL has http or https, and no user, query or fragment', () => {
    for (const good of ['https://api.example.com/v1', 'http://127.0.0.1:11434/v1', 'https://api.example.com'])
      expect(baseUrlProblem(good), good).toBe(null);
    for (const bad of [
      'x',
      'ftp://a.example',
      'https://u:p@a.example',
      'https://a.example?x=1',
      'https://a.example#x',
      'https://a.example:22',
    ])
      expect(baseUrlProblem(bad), bad).not.toBe(null);
  });
});
