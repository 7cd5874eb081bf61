/** Called with the fault when writes begin to fail, and with undefined when they succeed again. */
export type WriteFaultListener = (fault: Error | undefined) => void

const probePauseMs = 1000

/** The fault of writes, if there is one, and test writes that show whether it lasts. */
export class WriteFault<E extends Error> {
  readonly #onChange: WriteFaultListener
  #fault: E | undefined
  #probedAtMs = Number.NEGATIVE_INFINITY

  constructor(onChange: WriteFaultListener) {
    this.#onChange = onChange
  }

  get current(): E | undefined {
    return this.#fault
  }

  /** Makes writes succeed when undefined. */
  set(fault: E | undefined): void {
    const isNews = (fault === undefined) !== (this.#fault === undefined)
    this.#fault = fault
    if (isNews) this.#onChange(fault)
  }

  /** Makes a test write, at most once in a second: health is public. */
  async probe(write: () => Promise<void>): Promise<void> {
    if (performance.now() - this.#probedAtMs < probePauseMs) return
    this.#probedAtMs = performance.now()
    await write()
  }
}
