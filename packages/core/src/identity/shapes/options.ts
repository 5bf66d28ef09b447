/** Options of sign-in. */
export type AuthOptions = {
  /** A file of SHA-1 hashes of breached passwords, sorted, one `HASH:COUNT` per line. New passwords in it are refused. */
  readonly breachFile?: string | undefined;
  /** Threads that hash passwords. Default: one less than the cores, 1 to 8. */
  readonly hashThreads?: number | undefined;
  /** Memory of all hashes at once, in MiB. Default: 64 per thread. */
  readonly hashMemoryMiB?: number | undefined;
};
