import type { Database, Reader } from '../db/database.ts'

/** Counts the calls of a database that have no answer yet, so that a manual clock can wait for a server. */
export function watchActivity() {
  let open = 0

  async function counted<T>(call: () => Promise<T>): Promise<T> {
    open++
    try {
      return await call()
    } finally {
      open--
    }
  }

  return {
    isBusy: () => open > 0,
    of<D extends Database>(database: D): D {
      const read: Reader = {
        get: (statement, ...params) => counted(() => database.read.get(statement, ...params)),
        all: (statement, ...params) => counted(() => database.read.all(statement, ...params)),
      }
      return {
        ...database,
        read,
        write: (job, options) => counted(() => database.write(job, options)),
        snapshot: (look) => counted(() => database.snapshot(look)),
        now: () => counted(() => database.now()),
      }
    },
  }
}
