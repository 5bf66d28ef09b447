import { refused } from '../scim-error.ts';
import type { CompareOperator, Literal } from './parse.ts';

/** How an attribute compares: text by bytes, or without regard to case; times as instants. */
export type Comparison = 'exact' | 'folded' | 'boolean' | 'time';

/** Text as it is compared without regard to case. Columns for such comparisons store it. */
export const foldText = (text: string): string => text.normalize('NFC').toLowerCase().normalize('NFC');

const INSTANT = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/i;

/** Milliseconds of an ISO instant; without an offset it is UTC. */
export const instantOf = (text: string): number | null => {
  if (!INSTANT.test(text)) return null;
  const hasOffset = !text.includes('T') || /(?:Z|[+-]\d\d:?\d\d)$/i.test(text.slice(10));
  const ms = Date.parse(hasOffset ? text : `${text}Z`);
  return Number.isNaN(ms) ? null : ms;
};

/**
 * Converts the value of a filter to what its attribute compares with.
 *
 * @throws ScimError invalidFilter for a value or an operator that the attribute does not have
 */
export const operandOf = (
  path: string,
  comparison: Comparison,
  op: CompareOperator,
  value: Literal,
): string | boolean | number => {
  const invalid = (reason: string) => refused('invalidFilter', `${path} ${op}: ${reason}`);
  if (comparison === 'boolean') {
    if (op !== 'eq' && op !== 'ne') throw invalid('a boolean has only eq, ne and pr');
    const text = typeof value === 'string' ? value.toLowerCase() : value;
    if (text === true || text === 'true') return true;
    if (text === false || text === 'false') return false;
    throw invalid('the value is not a boolean');
  }
  if (typeof value !== 'string') throw invalid('the value is not a text');
  if (comparison === 'time') {
    if (op === 'co' || op === 'sw' || op === 'ew') throw invalid('a time has only eq, ne, gt, ge, lt, le and pr');
    const ms = instantOf(value);
    if (ms === null) throw invalid('the value is not a time');
    return ms;
  }
  if (value.includes('\0') || !value.isWellFormed()) throw invalid('the value has characters that no attribute has');
  return comparison === 'folded' ? foldText(value) : value;
};
