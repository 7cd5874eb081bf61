/** Sums of the latest steps of one length, in memory that does not grow. */

interface Column {
  /** Milliseconds that the sums of a step cover; 0: nothing was measured. */
  readonly coveredMs: Float64Array
  readonly sums: readonly Float64Array[]
}

interface RingSize {
  readonly stepMs: number
  readonly steps: number
}

/** Steps of one stored row: for each figure the covered milliseconds, then the sums of its columns. */
export type StoredSteps = Readonly<Record<string, readonly (readonly number[])[]>>

/** A step has the slot `number modulo length`: the newest steps take the place of the oldest ones. Steps are numbered from 1970. */
export class Ring {
  readonly stepMs: number
  readonly #length: number
  /** The number of the step that each slot has. */
  readonly #numbers: Float64Array
  readonly #columns = new Map<string, Column>()
  #latest = Number.NEGATIVE_INFINITY

  constructor({ stepMs, steps }: RingSize) {
    this.stepMs = stepMs
    this.#length = steps
    this.#numbers = new Float64Array(steps).fill(-1)
  }

  /** Bytes of the sums. */
  get bytes(): number {
    const arrays = [...this.#columns.values()].reduce((count, { sums }) => count + 1 + sums.length, 1)
    return arrays * this.#length * Float64Array.BYTES_PER_ELEMENT
  }

  /** A step that was restored goes on. */
  goOn(step: number): void {
    this.#latest = step
  }

  /**
   * A step that begins is empty, even if the slot has one of its number, which a wrong clock left there. A step to which the clock returned
   * goes on: its mean is that of both times.
   */
  enter(step: number): void {
    if (step > this.#latest || this.#numbers[step % this.#length] !== step) this.#clear(step)
    this.#latest = step
  }

  add(step: number, name: string, { coveredMs, sums }: { readonly coveredMs: number; readonly sums: readonly number[] }): void {
    const column = this.#column(name, sums.length)
    const slot = step % this.#length
    column.coveredMs[slot] = (column.coveredMs[slot] ?? 0) + coveredMs
    for (const [index, part] of sums.entries()) {
      const all = column.sums[index]
      if (all) all[slot] = (all[slot] ?? 0) + part
    }
  }

  /** Added up over `count` steps; undefined where nothing was measured. */
  read(name: string, first: number, count: number): { readonly coveredMs: number; readonly sums: readonly number[] } | undefined {
    const column = this.#columns.get(name)
    if (!column) return undefined
    let coveredMs = 0
    const sums = new Array<number>(column.sums.length).fill(0)
    for (let step = first; step < first + count; step++) {
      const slot = step % this.#length
      const covered = column.coveredMs[slot] ?? 0
      if (this.#numbers[slot] !== step || covered === 0) continue
      coveredMs += covered
      for (let index = 0; index < sums.length; index++) sums[index] = (sums[index] ?? 0) + (column.sums[index]?.[slot] ?? 0)
    }
    return coveredMs > 0 ? { coveredMs, sums } : undefined
  }

  /** Steps for a stored row. */
  take(first: number, count: number): StoredSteps {
    const taken: Record<string, number[][]> = {}
    for (const [name, { coveredMs, sums }] of this.#columns) {
      const rows = [coveredMs, ...sums].map((all) =>
        Array.from({ length: count }, (_, index) => {
          const slot = (first + index) % this.#length
          return this.#numbers[slot] === first + index ? toStored(all[slot] ?? 0) : 0
        }),
      )
      if (rows[0]?.some((covered) => covered > 0)) taken[name] = rows
    }
    return taken
  }

  /** Steps of a stored row. Figures that are not kept any more, or have other columns now, are left out. */
  restore(first: number, steps: StoredSteps, columnsOf: ReadonlyMap<string, number>): void {
    for (const [name, [covered = [], ...rows]] of Object.entries(steps)) {
      if (columnsOf.get(name) !== rows.length) continue
      for (const [index, coveredMs] of covered.entries()) {
        if (!(coveredMs > 0)) continue
        const step = first + index
        if (this.#numbers[step % this.#length] !== step) this.#clear(step)
        this.add(step, name, { coveredMs, sums: rows.map((row) => row[index] ?? 0) })
      }
    }
  }

  #clear(step: number): void {
    const slot = step % this.#length
    this.#numbers[slot] = step
    for (const { coveredMs, sums } of this.#columns.values()) for (const all of [coveredMs, ...sums]) all[slot] = 0
  }

  #column(name: string, columns: number): Column {
    const known = this.#columns.get(name)
    if (known) return known
    const made = { coveredMs: new Float64Array(this.#length), sums: Array.from({ length: columns }, () => new Float64Array(this.#length)) }
    this.#columns.set(name, made)
    return made
  }
}

/** Times have fractions of a millisecond, which say nothing. */
const toStored = (value: number): number => Math.round(value * 1000) / 1000
