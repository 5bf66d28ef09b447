import { compileTemplate } from '../../../messaging/templates/compile.ts';
import { type RenderScopes, valueAt } from '../../../messaging/templates/render.ts';
import type { AiTask } from '../../ai/task.ts';
import { type AiConfig, outputTokensOf, questionOf } from './ai-action.ts';

/** Maximum bytes of a prompt's values as JSON. Source: the security rules of templates (a rendered text). */
const MAX_DATA_BYTES = 65_536;

/** Values by placeholder path; a missing value is the default, else null. Returns null if they are too large. */
const dataOf = (instruction: string, scopes: RenderScopes): Readonly<Record<string, unknown>> | null => {
  const data = new Map<string, unknown>();
  let bytes = 0;
  for (const placeholder of compileTemplate(instruction).placeholders) {
    const { path, fallback } = placeholder;
    const value = valueAt(placeholder, scopes);
    const isMissing = value === undefined || value === null || value === '';
    const shown = isMissing ? (fallback ?? null) : value;
    // If a path has several defaults, the first one counts.
    if (data.has(path)) continue;
    data.set(path, shown);
    bytes += Buffer.byteLength(JSON.stringify([path, shown]));
    if (bytes > MAX_DATA_BYTES) return null;
  }
  return Object.fromEntries(data);
};

/** The instruction with plain paths as placeholders; defaults are in the data. */
const instructionOf = (text: string): string => {
  const { literals, placeholders } = compileTemplate(text);
  return literals.reduce((filled, literal, index) => `${filled}{{${placeholders[index - 1]?.path}}}${literal}`);
};

/** The model task of a step with current facts; null: the values are too large. */
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
