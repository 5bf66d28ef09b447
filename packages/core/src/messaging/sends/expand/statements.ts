import { bulkFill, bulkQuery, placedIdText } from '../../../database/statements/sql-text.ts';
import type { SqlText, TextContext } from '../../../database/statements/text-context.ts';
import type { AddressText, PeopleText } from '../selection.ts';
import { MESSAGE_COLUMNS } from '../statements.ts';
import type { SendingTables } from '../tables.ts';

/** A member who is not reached: profile key, position among the messages of the part, reason. */
export type Without = readonly [person: string, place: number, reason: string];

const PART = { scopeId: 'scopeId', audienceId: 'sendId', after: 'person' } as const;

/**
 * Statements that make messages of the next audience members without reading them. The first finds the last member of
 * the part, so that the others are planned for its actual size; the second counts the addresses; the third writes the
 * messages. Messages are numbered by member and address (one for a member without an address), so ids follow the
 * recipient order as they do in code.
 */
export const selectionStatements = ({ messages }: SendingTables, people: PeopleText, addresses: AddressText) => {
  const afterCursor = (context: TextContext): string =>
    `${people.where(context)} and m."person" > ${context.value('after')}`;
  const within = (context: TextContext): string => `${afterCursor(context)} and m."person" <= ${context.value('upTo')}`;
  /**
   * PostgreSQL does not derive a range condition through an equality: without this one it reads the addresses of all
   * users.
   */
  const reached = ({ dialect, value }: TextContext): string => {
    const one = `a."scope_id" = m."scope_id" and a."person" = m."person" and ${addresses.where}`;
    const range = `a."scope_id" = ${value('scopeId')} and a."person" > ${value('after')} and a."person" <= ${value('upTo')}`;
    return dialect === 'sqlite' ? one : `${one} and ${range}`;
  };

  const end: SqlText = (context) => {
    const next = `select m."person" from ${people.table} as m where ${afterCursor(context)} order by m."person" limit ${context.value('limit')}`;
    return `select cast(count(*) as integer), max(s."person") from (${next}) as s`;
  };

  /** Addresses per member. SQLite looks them up one by one; PostgreSQL may read them in index order. */
  const counted = (context: TextContext): string => {
    const { table } = addresses;
    return context.dialect === 'sqlite'
      ? `select m."scope_id", m."person", (select count(*) from ${table} as a where ${reached(context)}) as "n" ` +
          `from ${people.table} as m where ${within(context)} order by m."person"`
      : `select m."scope_id", m."person", count(a."person") as "n" from ${people.table} as m ` +
          `left join ${table} as a on ${reached(context)} where ${within(context)} group by m."scope_id", m."person"`;
  };

  const survey: SqlText = (context) => {
    const { dialect } = context;
    const numbered =
      `select m."person", m."n", case when m."n" = 0 then ${addresses.none} end as "why", ` +
      `sum(case when m."n" = 0 then 1 else m."n" end) over (order by m."person") as "place" from (${counted(context)}) as m`;
    const [all, one] = dialect === 'sqlite' ? ['json_group_array', 'json_array'] : ['json_agg', 'json_build_array'];
    const without = `${all}(${one}(s."person", s."place", s."why")) filter (where s."n" = 0)`;
    const sum = 'cast(coalesce(sum(s."n"), 0) as integer)';
    return `select ${sum}, ${without} from (${numbered}) as s`;
  };

  const select: SqlText = (context) => {
    const { value } = context;
    const found =
      `select m."person", ${addresses.address} as "address", ${addresses.tokenId} as "token_id", ` +
      `${addresses.facts(context)} as "facts", row_number() over (order by m."person", ${addresses.order}) as "place" ` +
      `from ${people.table} as m left join ${addresses.table} as a on ${reached(context)} where ${within(context)}`;
    const now = value('now');
    const fields: Readonly<Record<(typeof MESSAGE_COLUMNS)[number], string>> = {
      scopeId: value('scopeId'),
      id: placedIdText(context, 'head', `${value('base')} + s."place"`),
      sendId: value('sendId'),
      channel: value('channel'),
      person: 's."person"',
      address: 's."address"',
      addressName: 'null',
      tokenId: 's."token_id"',
      facts: 's."facts"',
      role: "'to'",
      status: "'queued'",
      reason: 'null',
      attempt: '0',
      createdAt: now,
      finishedAt: 'null',
      priority: '1',
      dueAt: now,
      fence: '0',
    };
    const columns = MESSAGE_COLUMNS.map((key) => fields[key]).join(', ');
    return `select ${columns} from (${found}) as s where s."token_id" is not null`;
  };

  return {
    end: bulkQuery('sending.end', messages, {
      values: { ...PART, limit: 'attempt' },
      columns: { people: 'attempt', last: 'person' },
      text: end,
    }),
    survey: bulkQuery('sending.survey', messages, {
      values: { ...PART, upTo: 'person' },
      columns: { rows: 'attempt', without: 'facts' },
      text: survey,
    }),
    /** Guarded by the count: a device may have been added or removed since. */
    fill: bulkFill(
      'sending.fill',
      messages,
      {
        columns: MESSAGE_COLUMNS,
        values: {
          ...PART,
          upTo: 'person',
          sendId: 'sendId',
          channel: 'channel',
          head: 'person',
          base: 'attempt',
          now: 'createdAt',
        },
        select,
      },
      { isGuarded: true },
    ),
  };
};

export type SelectionStatements = ReturnType<typeof selectionStatements>;
