import { compileTemplate } from '../../../messaging/templates/compile.ts';
import { type RenderScopes, valueAt } from '../../../messaging/templates/render.ts';
import type { AiTask } from '../../ai/task.ts';
import { type AiConfig, outputTokensOf, questionOf } from './ai-action.ts';

/** Bytes of the values of one prompt as JSON. Source: the security rules of templates (a rendered text). */
const MAX_DATA_BYTES = 65_536;

/** Values by the paths of an instruction's placeholders; a default where there is none, else null. Null: too large. */
const dataOf = (instruction: string, scopes: RenderScopes): Readonly<Record<string, unknown>> | null => {
  const data = new Map<string, unknown>();
  let bytes = 0;
  for (const placeholder of compileTemplate(instruction).placeholders) {
    const { path, fallback } = placeholder;
    const value = valueAt(placeholder, scopes);
    const isMissing = value === undefined || value === null || value === '';
    const shown = isMissing ? (fallback ?? null) : value;
    // Of one path with several defaults the first counts.
    if (data.has(path)) continue;
    data.set(path, shown);
    bytes += Buffer.byteLength(JSON.stringify([path, shown]));
    if (bytes > MAX_DATA_BYTES) return null;
  }
  return Object.fromEntries(data);
};

/** What a default says stands in the data: an instruction names its values by their paths alone. */
const instructionOf = (text: string): string => {
  const { literals, placeholders } = compileTemplate(text);
  return literals.reduce((filled, literal, index) => `${filled}{{${placeholders[index - 1]?.path}}}${literal}`);
};

/** What a step asks a model, with people and events as they are now; null: the values are too large. */
export const taskOf = (config: AiConfig, scopes: RenderScopes): AiTask | null => {
  const data = dataOf(config.prompt, scopes);
  if (data === null) return null;
  const { model = null, temperature = null } = config;
  return {
    ...questionOf(config),
    instruction: instructionOf(config.prompt),
    data,
    model,
    maxOutputTokens: outputTokensOf(config),
    temperature,
  };
};
