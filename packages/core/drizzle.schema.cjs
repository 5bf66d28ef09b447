// What drizzle-kit reads: it takes each export for a table, of the database that BECKON_DIALECT names.
const { tablesOf } = require('./src/app/tables.ts');

module.exports = tablesOf(process.env.BECKON_DIALECT === 'postgres' ? 'postgres' : 'sqlite');
