/** Runs an effect of a durable transaction. A failing one must not stop other writes. */
export function runEffect(effect: () => void): void {
  try {
    effect()
  } catch (error) {
    process.emitWarning(new Error('an effect of a committed transaction failed', { cause: error }))
  }
}
