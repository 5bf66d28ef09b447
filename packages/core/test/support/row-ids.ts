/**
 * A name as the id of a row, for tests that identify rows by name: ids sort like their names. Throws nothing.
 *
 * @param name up to 16 characters of ASCII
 */
export const rowId = (name: string): string => {
  const hex = Buffer.alloc(16);
  hex.write(name, 'latin1');
  return hex.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
};

/** The name from which `rowId` made an id. Throws nothing. */
export const rowName = (id: string): string =>
  Buffer.from(id.replaceAll('-', ''), 'hex').toString('latin1').replace(/\0+$/, '');
