// Finds the places of a source file where a small change should make a test fail. scripts/mutants.ts applies them.
import { parseSync, visitorKeys } from 'oxc-parser';

export type Mutation = {
  readonly kind: Kind;
  /** Range of the text to replace, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** From 1. */
  readonly line: number;
  /** Index of the innermost function around it in `functionsOf`; null outside functions. */
  readonly within: number | null;
};

export type Kind =
  | 'comparison'
  | 'logic'
  | 'condition'
  | 'guard removed'
  | 'statement removed'
  | 'constant'
  | 'off by one'
  | 'early return'
  | 'call';

/** A node of the syntax tree of oxc-parser. */
type Node = { readonly type: string; readonly start: number; readonly end: number } & Readonly<Record<string, unknown>>;

const OTHER_OPERATOR: Readonly<Record<string, readonly [Kind, string]>> = {
  '<': ['comparison', '<='],
  '<=': ['comparison', '<'],
  '>': ['comparison', '>='],
  '>=': ['comparison', '>'],
  '===': ['comparison', '!=='],
  '!==': ['comparison', '==='],
  '&&': ['logic', '||'],
  '||': ['logic', '&&'],
  '-': ['off by one', '+'],
  '%': ['off by one', '*'],
  '*': ['off by one', '/'],
  '/': ['off by one', '*'],
};
const OTHER_METHOD: Readonly<Record<string, string>> = { some: 'every', every: 'some', min: 'max', max: 'min' };
/** Calls that only select or order: without them the list itself is left. */
const LEAVES_LIST = new Set(['filter', 'toSorted', 'slice', 'toReversed']);
const FUNCTIONS = new Set(['ArrowFunctionExpression', 'FunctionExpression', 'FunctionDeclaration']);
/** Texts for people: a log line, an error message or a description is not a rule. */
const WORDS = /^(?:log\.\w+|\w*[lL]og\.\w+|.*\.(?:describe|meta)|console\.\w+)$/;

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

const childrenOf = (node: Node): Node[] =>
  (visitorKeys[node.type] ?? [])
    .flatMap((key): unknown => node[key])
    .filter(isNode)
    // Types do not exist at run time; `x as T` and the like keep their expression.
    .filter(({ type }) => !/^TS(?!AsExpression|SatisfiesExpression|NonNullExpression)/.test(type));

const programOf = (path: string, text: string): Node => {
  const { program, errors } = parseSync(path, text);
  const [error] = errors;
  if (error) throw new Error(`${path}: ${error.message}`);
  // Safe: a program is a node like any other.
  return program as unknown as Node;
};

const child = (node: Node, key: string): Node | null => {
  const value = node[key];
  return isNode(value) ? value : null;
};
const textOf = (node: Node, key: string): string => {
  const value = node[key];
  return typeof value === 'string' ? value : '';
};

/** True for a statement after which the function, the loop or the program does not continue. */
const leaves = (node: Node | null): boolean => {
  if (node === null) return false;
  if (node.type === 'BlockStatement') return Array.isArray(node['body']) && leaves(node['body'].at(-1) ?? null);
  return ['ReturnStatement', 'ThrowStatement', 'ContinueStatement', 'BreakStatement'].includes(node.type);
};

/** Body of a function, and whether it is an expression. */
export type FunctionRange = { readonly start: number; readonly end: number; readonly isExpression: boolean };

const bodyOf = (node: Node): FunctionRange | null => {
  const body = FUNCTIONS.has(node.type) ? child(node, 'body') : null;
  return body && { start: body.start, end: body.end, isExpression: body.type !== 'BlockStatement' };
};

/** The functions of a file, an outer one before those within it. Throws for a syntax error. */
export const functionsOf = (path: string, text: string): FunctionRange[] => {
  const found: FunctionRange[] = [];
  const visit = (node: Node): void => {
    const body = bodyOf(node);
    if (body) found.push(body);
    for (const each of childrenOf(node)) visit(each);
  };
  visit(programOf(path, text));
  return found;
};

/**
 * Every change of one place that a test should notice, in the order of the file. Leaves out imports, types, and the
 * texts of logs, errors and descriptions. Throws for a syntax error.
 */
export const mutationsOf = (path: string, text: string): Mutation[] => {
  const found: Mutation[] = [];
  const lineStarts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
  const lineOf = (at: number): number => lineStarts.findLastIndex((start) => start <= at) + 1;
  const slice = ({ start, end }: Node): string => text.slice(start, end);
  let functions = 0;

  const visit = (node: Node, within: number | null): void => {
    const add = (kind: Kind, { start, end }: { start: number; end: number }, replacement: string): void => {
      found.push({ kind, start, end, replacement, line: lineOf(start), within });
    };
    const swapOperator = (left: Node, right: Node, from: string, [kind, to]: readonly [Kind, string]): void => {
      const at = text.indexOf(from, left.end);
      if (at >= 0 && at < right.start) add(kind, { start: at, end: at + from.length }, to);
    };
    switch (node.type) {
      case 'ImportDeclaration':
      case 'ExportAllDeclaration':
      case 'ThrowStatement':
      case 'TemplateElement':
        return;
      case 'BinaryExpression':
      case 'LogicalExpression': {
        const [left, right, operator] = [child(node, 'left'), child(node, 'right'), textOf(node, 'operator')];
        const other = OTHER_OPERATOR[operator];
        if (left && right && other) swapOperator(left, right, operator, other);
        // Without types, `+` is a sum only beside a number.
        const isSum = operator === '+' && [left, right].some((side) => typeof side?.['value'] === 'number');
        if (left && right && isSum) swapOperator(left, right, operator, ['off by one', '-']);
        break;
      }
      case 'UnaryExpression': {
        const argument = child(node, 'argument');
        if (textOf(node, 'operator') === '!' && argument) add('logic', node, slice(argument));
        break;
      }
      case 'IfStatement': {
        const consequent = child(node, 'consequent');
        if (leaves(consequent) && child(node, 'alternate') === null) add('guard removed', node, ';');
        const test = child(node, 'test');
        if (test && test.type !== 'UnaryExpression') add('condition', test, `!(${slice(test)})`);
        break;
      }
      case 'ConditionalExpression': {
        const test = child(node, 'test');
        if (test) add('condition', test, `!(${slice(test)})`);
        break;
      }
      case 'ExpressionStatement': {
        const expression = child(node, 'expression');
        const inner = expression?.type === 'AwaitExpression' ? child(expression, 'argument') : expression;
        const callee = inner?.type === 'CallExpression' ? child(inner, 'callee') : null;
        if (callee && WORDS.test(slice(callee))) return;
        if (inner && ['CallExpression', 'AssignmentExpression', 'UpdateExpression'].includes(inner.type))
          add('statement removed', node, ';');
        break;
      }
      case 'Literal': {
        const value = node['value'];
        if (value === true || value === false) add('constant', node, String(!value));
        if (typeof value === 'number' && Number.isSafeInteger(value)) add('constant', node, String(value + 1));
        return;
      }
      case 'CallExpression': {
        const callee = child(node, 'callee');
        if (callee && WORDS.test(slice(callee))) {
          visit(callee, within);
          return;
        }
        const property = callee?.type === 'MemberExpression' ? child(callee, 'property') : null;
        const object = callee?.type === 'MemberExpression' ? child(callee, 'object') : null;
        if (property && object) {
          const name = slice(property);
          const other = Object.hasOwn(OTHER_METHOD, name) ? OTHER_METHOD[name] : undefined;
          if (other) add('call', property, other);
          if (LEAVES_LIST.has(name)) add('call', node, slice(object));
        }
        break;
      }
    }
    const body = bodyOf(node);
    const inner = body ? functions++ : within;
    if (body && !body.isExpression && body.end - body.start > 2)
      found.push({
        kind: 'early return',
        start: body.start + 1,
        end: body.start + 1,
        replacement: ' return undefined as never; ',
        line: lineOf(body.start),
        within: inner,
      });
    for (const each of childrenOf(node)) visit(each, inner);
  };
  visit(programOf(path, text), null);
  return found.toSorted((a, b) => a.start - b.start);
};

/** The text with the mutation. */
export const mutated = (
  text: string,
  { start, end, replacement }: Pick<Mutation, 'start' | 'end' | 'replacement'>,
): string => text.slice(0, start) + replacement + text.slice(end);

/**
 * The text with a call at the start of each function, `globalThis.beckonCovers("PATH#INDEX")`, with which
 * scripts/mutant-coverage.ts records which tests run which function.
 */
export const withCoverage = (path: string, text: string): string => {
  const inserts = functionsOf(path, text).flatMap(({ start, end, isExpression }, index) => {
    const call = `globalThis.beckonCovers?.(${JSON.stringify(`${path}#${index}`)})`;
    if (!isExpression) return [{ at: start + 1, order: index, text: `${call};` }];
    return [
      { at: start, order: index, text: `(${call},(` },
      { at: end, order: -index, text: '))' },
    ];
  });
  let result = '';
  let from = 0;
  for (const insert of inserts.toSorted((a, b) => a.at - b.at || a.order - b.order)) {
    result += text.slice(from, insert.at) + insert.text;
    from = insert.at;
  }
  return result + text.slice(from);
};
