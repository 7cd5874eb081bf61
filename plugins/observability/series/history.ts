/** The kept figures: two rings in memory, and rows from which they are restored after a restart. */
import type { Database } from '#kernel'
import { resolutions } from './range-policy.ts'
import { Ring, type StoredSteps } from './ring.ts'
import { pageOfSteps, putSteps, type StepRow } from './series-store.ts'

type Resolution = (typeof resolutions)[keyof typeof resolutions]

/** Rows read before yielding to the event loop: about 3 milliseconds. */
const rowsPerPage = 64

/** Memory of one array of sums or of covered times, in both rings. */
const bytesPerArray = (resolutions.fine.steps + resolutions.hours.steps) * Float64Array.BYTES_PER_ELEMENT
/** Bound of all kept figures. */
export const seriesBytesMax = 8 * 1024 * 1024
/** Columns and covered times of all figures. */
export const arraysMax = Math.floor(seriesBytesMax / bytesPerArray) - 1

/** What was measured of a figure since its last measurement. */
export interface Measured {
  readonly name: string
  readonly coveredMs: number
  readonly sums: readonly number[]
}

export class History {
  readonly #rings = { fine: new Ring(resolutions.fine), hours: new Ring(resolutions.hours) }
  /** Rows to write: the number of their first step, by resolution. */
  readonly #changed = { fine: new Set<number>(), hours: new Set<number>() }

  get bytes(): number {
    return this.#rings.fine.bytes + this.#rings.hours.bytes
  }

  ring(name: keyof typeof resolutions): Pick<Ring, 'read' | 'stepMs'> {
    return this.#rings[name]
  }

  add(atMs: number, measured: readonly Measured[]): void {
    for (const name of ['fine', 'hours'] as const) {
      const { stepMs, stepsPerRow } = resolutions[name]
      const step = Math.floor(atMs / stepMs)
      this.#rings[name].enter(step)
      for (const { name: figure, ...amounts } of measured) this.#rings[name].add(step, figure, amounts)
      this.#changed[name].add(step - (step % stepsPerRow))
    }
  }

  /** Writes what changed. Rejects, and keeps it for the next time, when the database does not take it. */
  async save(database: Database): Promise<void> {
    const taken = { fine: [...this.#changed.fine], hours: [...this.#changed.hours] }
    const rows = (['fine', 'hours'] as const).flatMap((name) => taken[name].map((first) => this.#toRow(name, first)))
    if (rows.length === 0) return
    await database.write((tx) => putSteps(tx, rows), { rows: rows.length })
    for (const name of ['fine', 'hours'] as const) for (const first of taken[name]) this.#changed[name].delete(first)
  }

  #toRow(name: keyof typeof resolutions, firstStep: number): StepRow {
    const { stepMs, steps, stepsPerRow } = resolutions[name]
    const slot = Math.floor(firstStep / stepsPerRow) % (steps / stepsPerRow)
    return { stepMs, slot, firstStep, figures: JSON.stringify(this.#rings[name].take(firstStep, stepsPerRow)) }
  }

  /** Reads the rows of earlier starts, also later ones than now: the clock may be behind, and they appear when it has caught up. */
  async restore(database: Database, nowMs: number, columnsOf: ReadonlyMap<string, number>): Promise<void> {
    for (const name of ['fine', 'hours'] as const) {
      await this.#restoreRing(database, name, columnsOf)
      this.#rings[name].goOn(Math.floor(nowMs / resolutions[name].stepMs))
    }
  }

  async #restoreRing(database: Database, name: keyof typeof resolutions, columnsOf: ReadonlyMap<string, number>): Promise<void> {
    const { stepMs }: Resolution = resolutions[name]
    for (let after = -1; ; ) {
      const rows = await pageOfSteps(database.read, { stepMs, after, limit: rowsPerPage })
      for (const { firstStep, figures } of rows) this.#rings[name].restore(firstStep, JSON.parse(figures) as StoredSteps, columnsOf)
      const last = rows.at(-1)
      if (last === undefined || rows.length < rowsPerPage) return
      await new Promise((resolve) => setImmediate(resolve))
      after = last.slot
    }
  }
}
