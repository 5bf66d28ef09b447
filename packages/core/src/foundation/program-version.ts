/**
 * The version of this package. A database records it with each migration. Source: package.json; a test compares them.
 */
export const PROGRAM_VERSION = '0.1.0';
