// Runs a step again and again, never twice at a time, until disposed.
export interface Loop extends AsyncDisposable {
  /** Runs the step now instead of after the pause; while it runs, once more after it. */
  wake(): void
  /** Resolves when no step runs. */
  idle(): Promise<void>
}

interface LoopOptions {
  /** Pause between two steps; a function is called after each step. */
  readonly pauseMs: number | (() => number)
  /** Called with the error of a failed step; the loop goes on. */
  readonly onError: (error: unknown) => void
}

export function startLoop(step: () => Promise<void>, { pauseMs, onError }: LoopOptions): Loop {
  const nextPauseMs = typeof pauseMs === 'function' ? pauseMs : () => pauseMs
  let isStopped = false
  let isRunning = false
  let isRequested = false
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()

  function run(): void {
    clearTimeout(timer)
    if (isStopped) return
    isRunning = true
    isRequested = false
    running = step()
      .catch((error) => {
        // A step interrupted by the disposal has not failed.
        if (!isStopped) onError(error)
      })
      .finally(() => {
        isRunning = false
        if (!isStopped) timer = setTimeout(run, isRequested ? 0 : nextPauseMs())
      })
  }

  timer = setTimeout(run, 0)
  return {
    wake() {
      isRequested = true
      if (!isRunning && !isStopped) {
        clearTimeout(timer)
        timer = setTimeout(run, 0)
      }
    },
    idle: () => running,
    async [Symbol.asyncDispose]() {
      isStopped = true
      clearTimeout(timer)
      await running
      clearTimeout(timer)
    },
  }
}
