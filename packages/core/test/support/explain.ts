import Database from 'better-sqlite3';
import pg from 'pg';

/** Tables that grow with use: no hot statement may scan one of them completely. */
const GROWING = [
  'aliases',
  'api_key_grants',
  'api_keys',
  'audience_members',
  'cap_entries',
  'cap_locks',
  'event_message_ids',
  'events_by_person',
  'events',
  'messages',
  'profiles',
  'push_tokens',
  'run_steps',
  'runs',
  'outbox_messages',
  'sends',
  'workflow_versions',
  'workflows',
];
/**
 * Tables where reading all rows of one tenant is too much as well; without statistics SQLite may prefer any covering
 * index.
 */
const BY_MORE = ['audience_members'];

const sqliteScans = (path: string, texts: readonly string[]): string[] => {
  const connection = new Database(path, { readonly: true });
  try {
    return texts.flatMap((text) => {
      const aliased = new Map([...text.matchAll(/"(\w+)" as (\w+)/g)].map(([, table, alias]) => [alias, table]));
      // Named parameters if the statement has them, else one value per placeholder.
      const names = [...text.matchAll(/[@:$](\w+)/g)].map(([, name]) => [name, null]);
      const params = names.length > 0 ? Object.fromEntries(names) : [...text.matchAll(/\?/g)].map(() => null);
      const plan = connection.prepare(`explain query plan ${text}`).all(params) as { detail: string }[];
      return plan
        .map(({ detail }) => detail)
        .filter((detail) => {
          const [, name = ''] = /^SCAN (\w+)/.exec(detail) ?? [];
          const [, searched = ''] = /^SEARCH (\w+) .*\(scope_id=\?\)$/.exec(detail) ?? [];
          if (BY_MORE.includes(aliased.get(searched) ?? searched)) return true;
          // A scan of a partial index reads due rows, not the table.
          return GROWING.includes(aliased.get(name) ?? name) && !/_due$/.test(detail);
        })
        .map((detail) => `${detail}: ${text}`);
    });
  } finally {
    connection.close();
  }
};

type PlanNode = {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Join Filter'?: string;
  readonly Plans?: readonly PlanNode[];
};

const nodesOf = (node: PlanNode | undefined): PlanNode[] =>
  node ? [node, ...(node.Plans ?? []).flatMap(nodesOf)] : [];

/** Walking an index without a condition reads the whole table too; a partial index holds due rows only. */
const isScan = (node: PlanNode): boolean =>
  GROWING.includes(node['Relation Name'] ?? '') &&
  /Scan/.test(node['Node Type']) &&
  !/^Bitmap Heap/.test(node['Node Type']) &&
  node['Index Cond'] === undefined &&
  !/_due$/.test(node['Index Name'] ?? '');

/**
 * The planner multiplies the pages that it finds by the rows of a page. It guesses the size of a table without pages.
 */
const GROWN = `update pg_class set relpages = 1, reltuples = case when pg_relation_size(oid) > 0 then 1e7 else -1 end
  where relkind = 'r' and relname = any($1) and relnamespace = 'public'::regnamespace`;
const UNKNOWN = `delete from pg_statistic where starelid in
  (select oid from pg_class where relname = any($1) and relnamespace = 'public'::regnamespace)`;

/** As an analysis leaves a table that was empty at that moment: the planner expects one row, whatever comes later. */
const EMPTIED = `update pg_class set relpages = 1, reltuples = 0
  where relkind = 'r' and relname = any($1) and relnamespace = 'public'::regnamespace`;

/** Statements and the nodes of their plans, for a server with these `statistics` of growing tables. */
const postgresPlans = async (
  url: string,
  texts: readonly string[],
  statistics: readonly string[],
): Promise<(readonly [text: string, nodes: readonly PlanNode[]])[]> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // The server's knowledge of a table's size depends on whether it has analyzed it by now. Within this transaction
    // all are alike.
    await client.query('begin');
    for (const text of [...statistics, UNKNOWN]) await client.query(text, text.includes('$1') ? [GROWING] : []);
    const found: (readonly [string, readonly PlanNode[]])[] = [];
    for (const text of texts) {
      const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
        `explain (generic_plan, format json) ${text}`,
      );
      found.push([text, nodesOf(rows[0]?.['QUERY PLAN'][0].Plan)]);
    }
    return found;
  } finally {
    await client.end();
  }
};

// A small table is scanned whatever its indexes.
const INDEXES_ONLY = 'set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off';

const postgresScans = async (url: string, texts: readonly string[]): Promise<string[]> =>
  (await postgresPlans(url, texts, [GROWN, INDEXES_ONLY])).flatMap(([text, nodes]) =>
    nodes.filter(isScan).map((node) => `${node['Node Type']}: ${text}`),
  );

/**
 * The statements that compare each row of one table with each of another if the server assumes that tables are empty
 * which have grown since: quadratic work until its statistics are updated. SQLite plans by the existing indexes.
 */
export const comparesOf = async (url: string, texts: readonly string[]): Promise<string[]> =>
  url.startsWith('sqlite:')
    ? []
    : (await postgresPlans(url, texts, [EMPTIED])).flatMap(([text, nodes]) =>
        nodes.flatMap(({ 'Join Filter': filter }) => (filter?.includes(' = ') ? [`${filter}: ${text}`] : [])),
      );

/** The lines of these statements' plans that scan a growing table. */
export const scansOf = async (url: string, texts: readonly string[]): Promise<string[]> =>
  url.startsWith('sqlite:') ? sqliteScans(url.slice('sqlite:'.length), texts) : postgresScans(url, texts);
