/** Members that may be undefined become optional. */
type Compact<Members> = {
  [Key in keyof Members as undefined extends Members[Key] ? never : Key]: Members[Key];
} & { [Key in keyof Members as undefined extends Members[Key] ? Key : never]?: Exclude<Members[Key], undefined> };

/** A copy without members that are undefined, for types with optional members. Throws nothing. */
export const compact = <Members extends object>(members: Members): Compact<Members> => {
  const result = { ...members };
  for (const key in members) if (members[key] === undefined) delete result[key];
  // Safe: exactly the undefined members are removed.
  return result as unknown as Compact<Members>;
};
