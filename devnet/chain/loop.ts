// Runs a step again and again, never twice at a time, until disposed.
export interface Loop extends AsyncDisposable {
  /** Runs the step soon instead of after the pause. */
  wake(): void
  /** Resolves when no step runs. */
  idle(): Promise<void>
}

export interface LoopOptions {
  readonly pauseMs: number
  /** Hears of failed steps; the loop goes on. */
  readonly onError: (error: unknown) => void
}

export function startLoop(step: () => Promise<void>, { pauseMs, onError }: LoopOptions): Loop {
  let stopped = false
  let isRunning = false
  let isWanted = false
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()

  function run(): void {
    clearTimeout(timer)
    if (stopped) return
    isRunning = true
    isWanted = false
    running = step()
      .catch((error) => {
        // A step cut off by the end is no failure.
        if (!stopped) onError(error)
      })
      .finally(() => {
        isRunning = false
        if (!stopped) timer = setTimeout(run, isWanted ? 0 : pauseMs)
      })
  }

  timer = setTimeout(run, 0)
  return {
    wake() {
      isWanted = true
      if (!isRunning) {
        clearTimeout(timer)
        timer = setTimeout(run, 0)
      }
    },
    idle: () => running,
    async [Symbol.asyncDispose]() {
      stopped = true
      clearTimeout(timer)
      await running
      clearTimeout(timer)
    },
  }
}
