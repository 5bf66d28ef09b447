/** Exit codes. Public (`beckon help exit-codes`): a number never changes its meaning. */
export const EXIT = {
  ok: 0,
  /** A negative result, or a failure without a specific code. */
  negative: 1,
  usage: 2,
  /** The database or the bundle has another version than the program. */
  incompatible: 3,
  denied: 4,
  invalid: 5,
  conflict: 6,
  /** Part of the request was done, the rest was rejected. */
  partial: 7,
  precondition: 8,
  /** Confirmation is required and there is no terminal to ask. */
  unconfirmed: 9,
  unavailable: 10,
  /** An unexpected error in commands where 1 is a result. */
  internal: 70,
  /** `bounce-ingest` only: the mail server shall deliver the email again. Source: sysexits.h, EX_TEMPFAIL. */
  mailAgain: 75,
  interrupted: 130,
  terminated: 143,
} as const;

/** The rows of `beckon help exit-codes`. */
export const EXIT_CODES: readonly { readonly code: number; readonly meaning: string }[] = [
  { code: EXIT.ok, meaning: 'done' },
  { code: EXIT.negative, meaning: 'failed, not found, or a negative result (a diff differs, doctor found a failure)' },
  { code: EXIT.usage, meaning: 'wrong command, option, argument or configuration' },
  { code: EXIT.incompatible, meaning: 'the schema or the bundle has another version' },
  { code: EXIT.denied, meaning: 'not authenticated, forbidden, or the plan is too low' },
  { code: EXIT.invalid, meaning: 'validation failed' },
  { code: EXIT.conflict, meaning: 'conflict, or it already exists' },
  { code: EXIT.partial, meaning: 'partly done, the rest was rejected' },
  { code: EXIT.precondition, meaning: 'no provider configured' },
  { code: EXIT.unconfirmed, meaning: 'confirmation required (pass --yes)' },
  { code: EXIT.unavailable, meaning: 'temporary failure of the network or a service; retry' },
  { code: EXIT.internal, meaning: 'unexpected error, in commands where 1 is a result' },
  { code: EXIT.mailAgain, meaning: 'bounce-ingest: deliver the email again' },
  { code: EXIT.interrupted, meaning: 'interrupted (a second SIGINT)' },
  { code: EXIT.terminated, meaning: 'terminated (a second SIGTERM)' },
];

/** One of the codes of `EXIT`. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

type Extras = { readonly code?: string; readonly hint?: string; readonly details?: unknown; readonly cause?: unknown };

/**
 * An expected failure of a command.
 *
 * `message` is what failed and why, `hint` what to do; neither contains a secret. `code` is the error code of `--json`;
 * by default it follows from the exit code.
 */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;
  readonly code: string;
  readonly hint: string | undefined;
  readonly details: unknown;

  constructor(exitCode: ExitCode, message: string, extras: Extras = {}) {
    super(message, extras.cause === undefined ? undefined : { cause: extras.cause });
    this.exitCode = exitCode;
    this.code = extras.code ?? CODES.get(exitCode) ?? 'FAILED';
    this.hint = extras.hint;
    this.details = extras.details;
  }
}

const CODES: ReadonlyMap<ExitCode, string> = new Map([
  [EXIT.usage, 'USAGE'],
  [EXIT.incompatible, 'INCOMPATIBLE'],
  [EXIT.denied, 'FORBIDDEN'],
  [EXIT.invalid, 'VALIDATION_ERROR'],
  [EXIT.conflict, 'CONFLICT'],
  [EXIT.precondition, 'PROVIDER_NOT_CONFIGURED'],
  [EXIT.unconfirmed, 'CONFIRMATION_REQUIRED'],
  [EXIT.unavailable, 'UNAVAILABLE'],
  [EXIT.mailAgain, 'UNAVAILABLE'],
]);

/** A wrong command line: exits 2. */
export const usageError = (message: string, hint?: string): CliError =>
  new CliError(EXIT.usage, message, hint === undefined ? {} : { hint });

/** A failure for output. Only unexpected errors have a `stack`. */
export type Failure = {
  readonly exitCode: ExitCode;
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly details?: unknown;
  readonly stack?: string | undefined;
};

const BY_CORE_CODE: ReadonlyMap<string, ExitCode> = new Map([
  ['VALIDATION_ERROR', EXIT.invalid],
  ['PAYLOAD_TOO_LARGE', EXIT.invalid],
  ['INVALID_RANGE', EXIT.invalid],
  ['UNAUTHORIZED', EXIT.denied],
  ['FORBIDDEN', EXIT.denied],
  ['scope_required', EXIT.denied],
  ['tier_required', EXIT.denied],
  ['NOT_FOUND', EXIT.negative],
  ['CONFLICT', EXIT.conflict],
  ['PROVIDER_NOT_CONFIGURED', EXIT.precondition],
  ['RATE_LIMITED', EXIT.unavailable],
  ['OVERLOADED', EXIT.unavailable],
  ['QUERY_TIMEOUT', EXIT.unavailable],
  ['LOCK_TIMEOUT', EXIT.unavailable],
  ['DEADLINE_EXCEEDED', EXIT.unavailable],
]);

/** Driver codes of a database that is unreachable, starting, full or busy: a retry may help. */
const UNAVAILABLE = /^(SQLITE_(FULL|BUSY|IOERR|LOCKED)|08|53|57P|ECONN|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN)/;
/** Codes of files and databases that deny access. The message suffices, so no stack is printed. */
const REFUSED =
  /^(ENOENT|EACCES|EPERM|EISDIR|ENOTDIR|EEXIST|EROFS|ENOSPC|SQLITE_(CANTOPEN|READONLY|NOTADB|CORRUPT)|28|3D|42501)/;

/** Codes that file permissions would fix. */
const NO_PERMISSION = /^(EACCES|EPERM|SQLITE_(CANTOPEN|READONLY))/;

/** The first code of an error and its causes. Throws nothing. */
export const codeOf = (error: unknown): string | undefined => {
  for (let current = error, depth = 0; current instanceof Error && depth < 8; current = current.cause, depth += 1)
    if ('code' in current && typeof current.code === 'string') return current.code;
  return undefined;
};

const BY_BACKUP_REASON: ReadonlyMap<string, readonly [exitCode: ExitCode, hint?: string]> = new Map([
  ['exists', [EXIT.conflict, 'Pass another file, or replace it with --force.']],
  ['in_use', [EXIT.conflict]],
  ['not_empty', [EXIT.conflict, 'Pass an empty database with --db or --data-dir, or replace this one with --force.']],
  ['dialect', [EXIT.incompatible, 'Pass a database of the same kind with --db.']],
  ['foreign', [EXIT.invalid, 'Pass a file written by "beckon backup".']],
  ['damaged', [EXIT.invalid, 'Nothing was changed. Use another copy of the file, or an older backup.']],
]);

const backupFailure = (error: Error): Failure => {
  const reason = 'reason' in error ? String(error.reason) : '';
  const [exitCode, hint] = BY_BACKUP_REASON.get(reason) ?? [EXIT.negative];
  return { exitCode, code: 'BACKUP', message: error.message, details: { reason }, hint };
};

// Compares names instead of classes, because loading core would slow down usage errors.
const coreFailure = (error: Error): Failure | undefined => {
  const { message } = error;
  if (error.name === 'BeckonError' && 'code' in error && typeof error.code === 'string') {
    const details = 'details' in error ? error.details : undefined;
    const isVersion = hasReason(details, 'unsupported_bundle_version');
    const exitCode = isVersion ? EXIT.incompatible : (BY_CORE_CODE.get(error.code) ?? EXIT.negative);
    return { exitCode, code: error.code, message, details };
  }
  if (error.name === 'WrongMasterKey') return { exitCode: EXIT.usage, code: 'WRONG_MASTER_KEY', message };
  if (error.name === 'UnsafeDatabase')
    return {
      exitCode: EXIT.negative,
      code: 'UNSAFE_DATABASE',
      message,
      hint: 'To accept it, set sqlite.trustPath in the configuration, or BECKON_SQLITE_TRUST_PATH=true.',
    };
  if (error.name === 'BackupError') return backupFailure(error);
  if (error.name !== 'SchemaError') return undefined;
  const reason = 'reason' in error && typeof error.reason === 'string' ? error.reason : 'unknown';
  const details = { reason };
  if (reason === 'failed') {
    const exitCode = UNAVAILABLE.test(codeOf(error.cause) ?? '') ? EXIT.unavailable : EXIT.negative;
    return { exitCode, code: 'SCHEMA', message, details };
  }
  if (reason === 'pending')
    return {
      exitCode: EXIT.incompatible,
      code: 'SCHEMA',
      message,
      details,
      hint: 'Apply pending migrations: beckon migrate up',
    };
  // The message of core contains what to do.
  return { exitCode: EXIT.incompatible, code: 'SCHEMA', message, details };
};

const hasReason = (details: unknown, reason: string): boolean =>
  typeof details === 'object' && details !== null && 'reason' in details && details.reason === reason;

/** Maps any thrown value to an exit code and a message. Throws nothing. */
export const failureOf = (error: unknown): Failure => {
  if (error instanceof CliError) {
    const { exitCode, code, message, hint, details } = error;
    return { exitCode, code, message, hint, details };
  }
  const known = error instanceof Error ? coreFailure(error) : undefined;
  if (known) return known;
  const message = error instanceof Error && error.message ? error.message : (codeOf(error) ?? String(error));
  const code = codeOf(error) ?? '';
  if (UNAVAILABLE.test(code)) {
    return {
      exitCode: EXIT.unavailable,
      code: 'UNAVAILABLE',
      message,
      hint: 'Check that the database runs, then retry.',
    };
  }
  if (REFUSED.test(code)) {
    const hint = NO_PERMISSION.test(code)
      ? 'Grant the user of this program access (chown, chmod), or pass another folder: --data-dir.'
      : undefined;
    return { exitCode: EXIT.negative, code: 'FAILED', message, hint };
  }
  const stack = error instanceof Error ? error.stack : undefined;
  return { exitCode: EXIT.negative, code: 'INTERNAL', message, stack };
};
