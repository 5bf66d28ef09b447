// The common passwords are loaded by the first check. Measured on a busy core: 10 ms, and 0.2 MB that stay; a check reads
// the whole text in 0.1 ms, a two-hundredth of the hash that follows. A set of the passwords would take 1.2 MB.

export type CommonPasswords = {
  /** True for one of the 10,000 most common passwords of at least 8 characters, in any case of its letters. */
  has(password: string): boolean;
};

const load = async (): Promise<CommonPasswords> => {
  const [{ COMMON_PASSWORDS }, { brotliDecompressSync }] = await Promise.all([
    import('./common-list.ts'),
    import('node:zlib'),
  ]);
  const lines = `\n${brotliDecompressSync(Buffer.from(COMMON_PASSWORDS, 'base64')).toString('latin1')}\n`;
  return { has: (password) => !password.includes('\n') && lines.includes(`\n${password.toLowerCase()}\n`) };
};

let loaded: Promise<CommonPasswords> | undefined;

/** The list, loaded once per process. */
export const commonPasswords = (): Promise<CommonPasswords> => {
  loaded ??= load();
  return loaded;
};
