/** Members that may be undefined become optional. */
type Compact<Members> = {
  [Key in keyof Members as undefined extends Members[Key] ? never : Key]: Members[Key];
} & { [Key in keyof Members as undefined extends Members[Key] ? Key : never]?: Exclude<Members[Key], undefined> };

/** A copy without the members that are undefined, for types in which an optional member is absent. Throws nothing. */
export const compact = <Members extends object>(members: Members): Compact<Members> => {
  const result = { ...members };
  for (const key in members) if (members[key] === undefined) delete result[key];
  // Safe: exactly the members that are undefined are left out.
  return result as unknown as Compact<Members>;
};
