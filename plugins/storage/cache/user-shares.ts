/** The unfinished bodies of one user. */
class User {
  bodies = 0
  heldBytes = 0
}

/** One body of a user. */
export interface UserShare {
  /** Whether the user may hold more, of the room that all bodies together may hold. */
  mayTake(moreBytes: number, roomBytes: number): boolean
  take(bytes: number): void
  /** May be called again. */
  leave(): void
}

/** Several bodies of one user hold at most this share of the room, so that others get room too. A single one may take all. */
const share = 1 / 2

/** What each user holds of the room in the cache. */
export class UserShares {
  readonly #users = new Map<string, User>()

  /** Undefined without a user: without a limit. */
  join(name: string | undefined): UserShare | undefined {
    if (name === undefined) return undefined
    const user = this.#users.get(name) ?? new User()
    this.#users.set(name, user)
    user.bodies += 1
    let isHere = true
    return {
      mayTake: (moreBytes, roomBytes) => user.bodies === 1 || user.heldBytes + moreBytes <= roomBytes * share,
      take(bytes) {
        user.heldBytes += bytes
      },
      leave: () => {
        if (!isHere) return
        isHere = false
        user.bodies -= 1
        if (user.bodies === 0) this.#users.delete(name)
      },
    }
  }
}
