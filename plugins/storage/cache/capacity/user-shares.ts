/** The unfinished bodies of one user. */
class User {
  /** Oldest first. */
  readonly bodies = new Set<UserShare>()
  heldBytes = 0
}

export interface UserShare {
  /** Whether the user may hold more, of the room that all bodies together may hold. */
  mayTake(moreBytes: number, roomBytes: number): boolean
  take(bytes: number): void
  /** May be called again. */
  leave(): void
}

/** Several bodies of one user hold at most this share of the room, so that others get room too. The oldest one may take all, so that it ends. */
const share = 1 / 2

/** What each user holds of the room in the cache. */
export class UserShares {
  readonly #users = new Map<string, User>()

  /** Absent without a user, which has no limit. */
  join(name: string | undefined): UserShare | undefined {
    if (name === undefined) return undefined
    const user = this.#users.get(name) ?? new User()
    this.#users.set(name, user)
    const body: UserShare = {
      mayTake(moreBytes, roomBytes) {
        const [oldest] = user.bodies
        return oldest === body || user.heldBytes + moreBytes <= roomBytes * share
      },
      take(bytes) {
        user.heldBytes += bytes
      },
      leave: () => {
        if (user.bodies.delete(body) && user.bodies.size === 0) this.#users.delete(name)
      },
    }
    user.bodies.add(body)
    return body
  }
}
