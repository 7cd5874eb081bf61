/** Reads that follow frequent changes with a pause after each one. */
export interface PacedReader {
  /** Reads at once, or once more after the running read and its pause. */
  readonly notify: () => void
  /** Aborts the running read and drops the next one. */
  readonly stop: () => void
}

/** A running read is never aborted by a change: under steady changes, none would ever end. The pause needs no clock, which may step back. */
export function createPacedReader(pauseMs: number, read: (signal: AbortSignal) => Promise<void>): PacedReader {
  const abort = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let isBusy = false
  let isOvertaken = false
  const start = async (): Promise<void> => {
    isBusy = true
    isOvertaken = false
    try {
      await read(abort.signal)
    } finally {
      if (!abort.signal.aborted) timer = setTimeout(resume, pauseMs)
    }
  }
  const resume = () => {
    isBusy = false
    if (isOvertaken) void start()
  }
  return {
    notify() {
      if (abort.signal.aborted) return
      if (isBusy) isOvertaken = true
      else void start()
    },
    stop() {
      clearTimeout(timer)
      abort.abort()
    },
  }
}
