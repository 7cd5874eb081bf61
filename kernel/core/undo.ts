/** Clean-up steps of the stop, run in reverse order. Each is added when its resource is created. */
export class Undo {
  readonly #steps: { readonly name: string; readonly run: () => Promise<void> }[] = []

  add(name: string, run: () => Promise<void>): void {
    this.#steps.push({ name, run })
  }

  /** Runs every step once, also after failures, which are reported and thrown together. */
  async run(onFailure: (message: string, error: unknown) => void): Promise<void> {
    const failures: unknown[] = []
    for (const { name, run } of this.#steps.splice(0).reverse()) {
      try {
        await run()
      } catch (error) {
        onFailure(`${name} did not stop cleanly`, error)
        failures.push(error)
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'the service did not stop cleanly')
  }
}
