import { act, outputOptions, type Register } from '../command-line.ts';
import { createOutput } from '../output.ts';
import { described } from '../table/noun.ts';

/** `beckon version`: versions of the program, Node, SQLite and the schema. */
export const register: Register = (program, context) => {
  const { io, services, version } = context;
  outputOptions(described(program.command('version'), 'Print version information', '', '--json')).action(
    act(context, async (flags) => {
      const schema = await services.schema({ db: 'sqlite::memory:' });
      try {
        const { known } = await schema.state();
        const data = { version, node: process.versions.node, sqlite: await services.sqliteVersion(), schema: known };
        createOutput(io, flags).answer(data, [
          `beckon  ${data.version}`,
          `node    ${data.node}`,
          `sqlite  ${data.sqlite}`,
          `schema  ${data.schema}`,
        ]);
      } finally {
        await schema.close();
      }
      return undefined;
    }),
  );
};
