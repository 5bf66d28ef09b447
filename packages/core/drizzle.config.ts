import type { Config } from 'drizzle-kit';

/** `npm run migrations -w @beckon/core -- NAME` writes one file per database. */
const dialect = process.env.BECKON_DIALECT === 'postgres' ? 'postgres' : 'sqlite';

export default {
  dialect: dialect === 'postgres' ? 'postgresql' : 'sqlite',
  schema: './drizzle.schema.cjs',
  out: `./src/database/migrations/${dialect}`,
} satisfies Config;
