import { createRequire } from 'node:module';
import { cleanLines, escapeJson } from './text.ts';

/** Loaded by the first answer in YAML: no other command waits for it. */
const loaded = (): typeof import('yaml') => createRequire(import.meta.url)('yaml');

/** Lines of spaces alone: a block of them is read back without the spaces. */
const BLANK_LINE = /^[ \t]+$/m;

/**
 * An answer as YAML 1.2, safe on a terminal and read alike by parsers of YAML 1.1. Texts of several lines are blocks.
 * Dates are written as in JSON, and what JSON leaves out is left out.
 *
 * @returns lines, each ended by a line feed
 */
export const yamlText = (value: unknown): string => {
  const { Document, visit } = loaded();
  const document = new Document(JSON.parse(JSON.stringify(value) ?? 'null'), { compat: 'yaml-1.1' });
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value !== 'string') return;
      // Only between double quotes can a character that acts on a terminal be written as an escape sequence.
      if (cleanLines(node.value) !== node.value || BLANK_LINE.test(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  return escapeJson(document.toString({ lineWidth: 0 }));
};
