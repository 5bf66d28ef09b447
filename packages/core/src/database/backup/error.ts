/** Reason for which a backup or a restore failed. */
export type BackupReason = 'exists' | 'foreign' | 'damaged' | 'dialect' | 'in_use' | 'not_empty';

/** A failed backup or restore; nothing was changed. The message says why. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
  readonly reason: BackupReason;

  constructor(reason: BackupReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
