/** The part of a pino-like logger that is used. Values of traits, bodies, addresses and tokens are never logged. */
export type Log = {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
};

/** A log that writes nothing. */
export const silentLog: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };
