import type { Clock, Database } from '#kernel'
import { updateUse } from './user-store.ts'

/** When users last signed a request: in memory, because every request tells one, and written now and then. */
export class LastUses {
  readonly #deps: { readonly database: Database; readonly clock: Clock }
  /** Written ones stay, so that a read never goes back. */
  readonly #latest = new Map<string, number>()
  readonly #unwritten = new Set<string>()

  constructor(deps: { readonly database: Database; readonly clock: Clock }) {
    this.#deps = deps
  }

  of(accessKey: string): number | undefined {
    return this.#latest.get(accessKey)
  }

  note(accessKey: string): void {
    this.#latest.set(accessKey, this.#deps.clock.now())
    this.#unwritten.add(accessKey)
  }

  forget(accessKey: string): void {
    this.#latest.delete(accessKey)
    this.#unwritten.delete(accessKey)
  }

  async write(): Promise<void> {
    const noted = [...this.#unwritten]
    this.#unwritten.clear()
    try {
      await this.#deps.database.write(async (tx) => {
        for (const accessKey of noted) await updateUse(tx, accessKey, this.#latest.get(accessKey) ?? null)
      })
    } catch (error) {
      for (const accessKey of noted) this.#unwritten.add(accessKey)
      throw error
    }
  }
}
