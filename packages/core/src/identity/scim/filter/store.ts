import { type SQL, sql } from 'drizzle-orm';
import type { DialectName } from '../../../database/dialect-name.ts';
import type { FilterField, FilterList, ScimCondition } from './condition.ts';

type Operand = string | boolean | number;

/** A column or an expression with the values that it compares with. */
export type FilterColumn = { readonly expression: SQL; readonly bind: (value: Operand) => SQL };

export type FilterFields = Partial<Readonly<Record<FilterField['name'], FilterColumn>>>;

/** How a store shows its rows to filters. Folded fields are columns of folded text. */
export type FilterColumns = {
  readonly dialect: DialectName;
  readonly fields: FilterFields;
  /** `from` yields the elements of the list of the current row, joined by its condition. */
  readonly lists: Partial<
    Readonly<Record<FilterList, { readonly from: SQL; readonly where: SQL; readonly fields: FilterFields }>>
  >;
};

const SIGNS = { gt: sql.raw('>'), ge: sql.raw('>='), lt: sql.raw('<'), le: sql.raw('<=') };

/**
 * Renders a condition with bound values. Each part is true or false, never null: `not` of null would be null too.
 *
 * @throws Error for a field or a list that the store does not have
 */
export const conditionSql = (condition: ScimCondition, columns: FilterColumns): SQL => {
  const render = (part: ScimCondition, fields: FilterFields): SQL => {
    if (part.kind === 'and' || part.kind === 'or') {
      const parts = part.conditions.map((each) => render(each, fields));
      return sql`(${sql.join(parts, sql.raw(` ${part.kind} `))})`;
    }
    if (part.kind === 'not') return sql`(not ${render(part.condition, fields)})`;
    if (part.kind === 'some') {
      const list = columns.lists[part.list];
      if (list === undefined) throw new Error(`The store has no list ${part.list}`);
      return sql`exists (select 1 from ${list.from} where ${list.where} and ${render(part.condition, list.fields)})`;
    }
    const column = fields[part.field.name];
    if (column === undefined) throw new Error(`The store has no column ${part.field.name}`);
    const { expression, bind } = column;
    if (part.kind === 'present') return sql`(${expression} is not null)`;
    return sql`(${expression} is not null and ${compare(part, expression, bind(part.value))})`;
  };
  const compare = ({ op, field }: Extract<ScimCondition, { kind: 'compare' }>, expression: SQL, value: SQL): SQL => {
    if (op === 'eq') return sql`${expression} = ${value}`;
    if (field.comparison === 'time') return sql`${expression} ${SIGNS[orderOf(op)]} ${value}`;
    const text = sql`cast(${expression} as text)`;
    const operand = sql`cast(${value} as text)`;
    if (op === 'co') {
      return columns.dialect === 'sqlite' ? sql`instr(${text}, ${operand}) > 0` : sql`strpos(${text}, ${operand}) > 0`;
    }
    if (op === 'sw') return sql`substr(${text}, 1, length(${operand})) = ${operand}`;
    if (op === 'ew') {
      return sql`(length(${text}) >= length(${operand}) and substr(${text}, length(${text}) - length(${operand}) + 1) = ${operand})`;
    }
    // Bytes, as SQLite compares: the collation of a database must not decide.
    const bytes = columns.dialect === 'sqlite' ? text : sql`${text} collate "C"`;
    return sql`${bytes} ${SIGNS[orderOf(op)]} ${operand}`;
  };
  return render(condition, columns.fields);
};

const orderOf = (op: string): keyof typeof SIGNS => {
  if (op === 'gt' || op === 'ge' || op === 'lt' || op === 'le') return op;
  throw new Error(`${op} is no order`);
};
