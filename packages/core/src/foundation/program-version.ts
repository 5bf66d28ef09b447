/** The version of this package. A database remembers it with each migration. Source: package.json, held by a test. */
export const PROGRAM_VERSION = '0.1.0';
