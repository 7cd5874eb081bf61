/** Watches work of one connection, one piece at a time. */
type TurnGuard = <T>(work: Promise<T>) => Promise<T>

/**
 * A guard of work that may await only promises that are settled already. The result rejects when the process has no more microtasks:
 * then the work waits for a later turn of the event loop. `what` names the work in the error.
 */
export function createTurnGuard(what: string): TurnGuard {
  let stop: ((reason: Error) => void) | undefined
  let isArmed = false

  function check(): void {
    isArmed = false
    stop?.(foreignAwait(what))
    stop = undefined
  }

  // Called in a microtask, nextTick runs when the queue of microtasks is empty and before any event.
  const armCheck = () => process.nextTick(check)

  return (work) =>
    new Promise((resolve, reject) => {
      stop = reject
      // Making the error of `check` costs more than a point look-up.
      const end = () => {
        if (stop === reject) stop = undefined
      }
      work.then(
        (value) => {
          end()
          resolve(value)
        },
        (error) => {
          end()
          reject(error)
        },
      )
      // One check for all work of this turn.
      if (isArmed) return
      isArmed = true
      queueMicrotask(armCheck)
    })
}

export const foreignAwait = (what: string): Error =>
  new Error(
    `${what} awaited something other than its own statements, such as another write, a file or a timer, which would hold the database ` +
      'for all others. Await that before or after it; inside, use only the reader or tx that it received',
  )
