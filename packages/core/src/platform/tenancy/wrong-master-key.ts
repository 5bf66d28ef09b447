/** No configured master key opens the data keys of the database. The message tells the operator what to do. */
export class WrongMasterKey extends Error {
  override readonly name = 'WrongMasterKey';

  constructor() {
    super(
      'None of the configured master keys opens the secrets of this database: they were sealed with another one. ' +
        'Configure that key again; during a rotation give both, separated by a comma, the new one first.',
    );
  }
}
