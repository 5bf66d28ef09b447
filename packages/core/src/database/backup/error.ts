/** Why a backup is not made, or not restored. */
export type BackupReason = 'exists' | 'foreign' | 'damaged' | 'dialect' | 'in_use' | 'not_empty';

/** A backup that is not made, or not restored: nothing was changed. The message says why. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
  readonly reason: BackupReason;

  constructor(reason: BackupReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
