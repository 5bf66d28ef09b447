import { isObject } from '../../foundation/json.ts';
import { type AiQuestion, FALLBACK, type ValueSchema } from './task.ts';

/** Maximum bytes of a text that a step stores. Chosen: as for the response of a called service. */
const MAX_TEXT_BYTES = 16_384;
/** Maximum characters of an extracted text. Chosen. */
const MAX_VALUE_CHARACTERS = 4_096;

/** A usable answer in the form of the step's output, or one sentence for the model about the problem. */
export type Answer =
  | { readonly ok: true; readonly output: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problem: string };

const bad = (problem: string): Answer => ({ ok: false, problem });
/** Removes what PostgreSQL cannot store in JSON. */
const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\u{FFFD}');

// Models often wrap JSON into a Markdown block despite the instruction.
const FENCED = /^```(?:json)?\s*\n([\s\S]*?)\n?```$/;

const jsonOf = (text: string): unknown => {
  const trimmed = text.trim();
  try {
    return JSON.parse(FENCED.exec(trimmed)?.[1] ?? trimmed);
  } catch {
    return undefined;
  }
};

const TYPES: Readonly<Record<ValueSchema['type'], (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  integer: (value) => Number.isSafeInteger(value),
  boolean: (value) => typeof value === 'boolean',
};

const valueProblem = (value: unknown, { type, enum: values }: ValueSchema): string | null => {
  if (!TYPES[type](value)) return `must be of type ${type}`;
  if (values && !values.some((one) => one === value)) return `must be one of ${JSON.stringify(values)}`;
  if (typeof value === 'string' && value.length > MAX_VALUE_CHARACTERS)
    return `must have at most ${MAX_VALUE_CHARACTERS} characters`;
  return null;
};

const extracted = (
  { properties, required }: Extract<AiQuestion, { flavor: 'extract' }>,
  value: Readonly<Record<string, unknown>>,
): Answer => {
  const stranger = Object.keys(value).find((key) => !Object.hasOwn(properties, key));
  if (stranger !== undefined) return bad('It has a key that the schema does not have.');
  const output: [string, unknown][] = [];
  for (const [name, schema] of Object.entries(properties)) {
    const found = Object.hasOwn(value, name) ? value[name] : undefined;
    const isMissing = found === undefined || found === null;
    if (isMissing && !required.includes(name)) continue;
    const problem = isMissing ? 'is missing' : valueProblem(found, schema);
    if (problem !== null) return bad(`The value of ${JSON.stringify(name)} ${problem}.`);
    output.push([name, typeof found === 'string' ? storable(found) : found]);
  }
  return { ok: true, output: Object.fromEntries(output) };
};

/** Validates a model's answer. Only own keys count, and nothing is converted: `"5"` is not a number. Throws nothing. */
export const answerOf = (task: AiQuestion, text: string): Answer => {
  switch (task.flavor) {
    case 'generate': {
      const answer = storable(text.trim());
      if (answer === '') return bad('It is empty.');
      if (Buffer.byteLength(answer) > MAX_TEXT_BYTES) return bad(`It has more than ${MAX_TEXT_BYTES} bytes.`);
      return { ok: true, output: { text: answer } };
    }
    case 'decide': {
      const value = jsonOf(text);
      const choice = isObject(value) && Object.hasOwn(value, 'choice') ? value['choice'] : undefined;
      const isOffered = task.options.some(({ name }) => name === choice) || (task.hasFallback && choice === FALLBACK);
      return isOffered
        ? { ok: true, output: { choice } }
        : bad('It must be JSON {"choice": NAME} with one of the names.');
    }
    case 'extract': {
      const value = jsonOf(text);
      return isObject(value) ? extracted(task, value) : bad('It must be a JSON object that fits the schema.');
    }
    default:
      return task satisfies never;
  }
};

/** A constant substitute for an answer where no model may be called, with the shape of a real one. */
export const standInAnswer = (task: AiQuestion): Readonly<Record<string, unknown>> => {
  switch (task.flavor) {
    case 'generate':
      return { text: 'This text stands for what a model would say.' };
    case 'decide':
      return { choice: task.options[0]?.name ?? FALLBACK };
    case 'extract':
      return Object.fromEntries(
        Object.entries(task.properties).map(([name, { type, enum: values }]) => [
          name,
          values?.[0] ?? { string: 'text', number: 1, integer: 1, boolean: true }[type],
        ]),
      );
    default:
      return task satisfies never;
  }
};
