/** Shared by all callers until the next check phase of the event loop. */
let turn: Promise<void> | undefined

/**
 * Resolves after the events of this turn of the event loop, at once for all that call it in the turn: requests that arrive together then
 * run the same code together, and their responses are sent together. ADR 0051 has the figures.
 */
export function endOfTurn(): Promise<void> {
  turn ??= new Promise((resolve) => {
    setImmediate(() => {
      turn = undefined
      resolve()
    })
  })
  return turn
}
