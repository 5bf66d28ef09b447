// YAML 1.2 of plain JSON values, which is what answers are. Only what needs no thought stands plain; every other text is
// written as in JSON, which YAML takes as well.

import { isObject } from './is-object.ts';
import { escapeJson } from './text.ts';

const PLAIN = /^[A-Za-z][\w./@-]*(?: [\w./@-]+)*$/;
/** Words that some readers take for something else than a text. */
const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

const textOf = (text: string): string =>
  PLAIN.test(text) && !RESERVED.test(text) ? text : escapeJson(JSON.stringify(text));

const isEmpty = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;

const scalar = (value: unknown): string => (typeof value === 'string' ? textOf(value) : JSON.stringify(value));

/** Lines of a value without the indentation of what it stands in. */
const linesOf = (value: unknown): string[] => {
  if (isEmpty(value)) return [Array.isArray(value) ? '[]' : '{}'];
  if (Array.isArray(value)) return value.flatMap((item) => indented('- ', linesOf(item)));
  if (!isObject(value)) return [scalar(value)];
  return Object.entries(value).flatMap(([key, member]) => {
    const isNested = !isEmpty(member) && (Array.isArray(member) || isObject(member));
    const lines = linesOf(member);
    return isNested ? [`${textOf(key)}:`, ...lines.map((line) => `  ${line}`)] : [`${textOf(key)}: ${lines[0]}`];
  });
};

const indented = (mark: string, [first = '', ...rest]: readonly string[]): string[] => [
  `${mark}${first}`,
  ...rest.map((line) => `  ${line}`),
];

/**
 * An answer as YAML, each line ended by a line feed and safe on a terminal. What JSON writes in another way (dates) is
 * written so, and what it leaves out is left out.
 */
export const yamlText = (value: unknown): string =>
  linesOf(JSON.parse(JSON.stringify(value) ?? 'null'))
    .map((line) => `${line}\n`)
    .join('');
