// A stand-in for AI providers, in both wire formats, on loopback. The name of the requested model determines the
// response: `ok`, `bad-json`, `429`, `500`, `401`, `400`, `hang`, `garbage`, `huge`, `no-usage`; any other is `ok`.

import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isObject } from '../../../src/foundation/json.ts';

export type ModelRequest = {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
};

export type AiStandIn = {
  /** Base URL of OpenAI's format, and of Anthropic's. */
  readonly openai: string;
  readonly anthropic: string;
  readonly requests: readonly ModelRequest[];
  /** Texts of the next good responses, in order; then the last of them. Default `hello`. */
  say(...texts: readonly string[]): void;
  /** The next responses, in order, instead of those that the model determines. */
  replyNext(...replies: readonly { readonly status: number; readonly headers?: Record<string, string> }[]): void;
  /** Requests without a response yet. */
  open(): number;
  /** Answers the hanging requests. */
  release(): void;
  stop(): Promise<void>;
};

const readBody = async (request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const value: unknown = JSON.parse(Buffer.concat(chunks).toString());
  return isObject(value) ? value : {};
};

const USAGE = { input: 12, output: 5 };

const openaiAnswer = (text: string, hasUsage: boolean): unknown => ({
  choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
  ...(hasUsage && {
    usage: {
      prompt_tokens: USAGE.input,
      completion_tokens: USAGE.output,
      total_tokens: USAGE.input + USAGE.output,
    },
  }),
});

const toolInput = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

const anthropicAnswer = (text: string, isTool: boolean, hasUsage: boolean): unknown => ({
  type: 'message',
  role: 'assistant',
  content: isTool ? [{ type: 'tool_use', id: 't1', name: 'answer', input: toolInput(text) }] : [{ type: 'text', text }],
  ...(hasUsage && { usage: { input_tokens: USAGE.input, output_tokens: USAGE.output } }),
});

/** Starts it on a free port of 127.0.0.1. */
export const startAi = async (): Promise<AiStandIn> => {
  const requests: ModelRequest[] = [];
  const hanging = new Set<() => void>();
  let texts: readonly string[] = ['hello'];
  let replies: readonly { status: number; headers?: Record<string, string> }[] = [];
  let open = 0;

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { url: path = '', headers } = request;
    const body = await readBody(request);
    requests.push({ path, headers, body });
    const answer = (status: number, value: unknown, more: Record<string, string> = {}): void => {
      response.writeHead(status, { 'content-type': 'application/json', ...more });
      response.end(typeof value === 'string' ? value : JSON.stringify(value));
    };
    const isOpenai = path.endsWith('/chat/completions');
    if (isOpenai ? headers.authorization === undefined : headers['x-api-key'] === undefined)
      return answer(401, { error: { message: 'no key' } });
    const [reply, ...later] = replies;
    if (reply) {
      replies = later;
      return answer(reply.status, { error: { message: 'as told' } }, reply.headers);
    }
    const { model } = body;
    const good = (hasUsage = true): void => {
      const [text = '', ...others] = texts;
      if (others.length > 0) texts = others;
      answer(200, isOpenai ? openaiAnswer(text, hasUsage) : anthropicAnswer(text, 'tools' in body, hasUsage));
    };
    if (model === 'hang') {
      hanging.add(() => good());
      return;
    }
    if (model === 'garbage') return answer(200, '<html>');
    if (model === 'huge') return answer(200, JSON.stringify({ choices: 'x'.repeat(10_000_000) }));
    if (model === 'no-usage') return good(false);
    const status = Number(model);
    if (Number.isInteger(status)) return answer(status, { error: { message: 'as told' } });
    good();
  };

  const server = createServer((request, response) => {
    open += 1;
    response.once('close', () => {
      open -= 1;
    });
    handle(request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // A TCP server that listens has an AddressInfo.
  return {
    openai: `http://127.0.0.1:${port}/v1`,
    anthropic: `http://127.0.0.1:${port}/anthropic/v1`,
    requests,
    say: (...said) => {
      texts = said;
    },
    replyNext: (...next) => {
      replies = next;
    },
    open: () => open,
    release: () => {
      for (const go of hanging) go();
      hanging.clear();
    },
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
};
