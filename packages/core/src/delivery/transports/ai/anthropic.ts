import { objectAt, objectsAt, tokensAt } from './fields.ts';
import type { AiWire } from './port.ts';

const ROLES = { user: 'user', model: 'assistant' } as const;
/** The tool that the model is forced to use: its input is the answer. */
const TOOL = 'answer';

/**
 * Anthropic's Messages API. An answer with a schema is the input of a forced tool. Source: transports, AI providers.
 */
export const anthropicWire: AiWire = {
  path: '/messages',
  headers: (key) => ({ 'anthropic-version': '2023-06-01', ...(key === null ? {} : { 'x-api-key': key }) }),
  body: ({ model, instruction, exchanges, schema, maxOutputTokens, temperature }) => ({
    model,
    system: instruction,
    messages: exchanges.map(({ by, text }) => ({ role: ROLES[by], content: text })),
    max_tokens: maxOutputTokens,
    temperature,
    ...(schema && {
      tools: [{ name: TOOL, description: 'Gives the answer.', input_schema: schema }],
      tool_choice: { type: 'tool', name: TOOL },
    }),
  }),
  read: ({ content, usage }) => {
    const parts = objectsAt(content);
    const tool = parts.find(({ type }) => type === 'tool_use');
    const texts = parts.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []));
    const { input_tokens, output_tokens } = objectAt(usage);
    const [input, output] = [tokensAt(input_tokens), tokensAt(output_tokens)];
    return {
      text: tool ? JSON.stringify(tool['input'] ?? null) : texts.length > 0 ? texts.join('') : null,
      usage: input === null || output === null ? null : { input, output },
    };
  },
};
