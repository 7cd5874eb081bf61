/** What a signed-in person may do through the Admin API. */
export type Role = 'admin' | 'operator' | 'read-only'

/** Each role may do all that those before it may. */
const rising: readonly Role[] = ['read-only', 'operator', 'admin']

export const mayAct = (held: Role, needed: Role): boolean => rising.indexOf(held) >= rising.indexOf(needed)

/** The highest of some roles; undefined for none. */
export const highestRole = (held: readonly Role[]): Role | undefined => rising.findLast((role) => held.includes(role))

/** A route that declares nothing shows something to everyone who is signed in, or changes something for the admin alone. */
export const neededRole = (declared: Role | undefined, isChange: boolean): Role => declared ?? (isChange ? 'admin' : 'read-only')
