import { objectAt, objectsAt, tokensAt } from './fields.ts';
import type { AiWire } from './port.ts';

const ROLES = { user: 'user', model: 'assistant' } as const;

/** Chat Completions, the API of OpenAI and of compatible servers. Source: transports, AI providers. */
export const openaiWire: AiWire = {
  path: '/chat/completions',
  headers: (key) => (key === null ? {} : { authorization: `Bearer ${key}` }),
  body: ({ model, instruction, exchanges, schema, maxOutputTokens, temperature }) => ({
    model,
    messages: [
      { role: 'system', content: instruction },
      ...exchanges.map(({ by, text }) => ({ role: ROLES[by], content: text })),
    ],
    max_tokens: maxOutputTokens,
    temperature,
    ...(schema && {
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } },
    }),
  }),
  read: ({ choices, usage }) => {
    const { content } = objectAt(objectsAt(choices)[0]?.['message']);
    const { prompt_tokens, completion_tokens } = objectAt(usage);
    const [input, output] = [tokensAt(prompt_tokens), tokensAt(completion_tokens)];
    return {
      text: typeof content === 'string' ? content : null,
      usage: input === null || output === null ? null : { input, output },
    };
  },
};
