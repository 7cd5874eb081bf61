import { channel } from 'node:diagnostics_channel'

/** A named point in the code where tests wait and crash tests kill the process. Costs nothing without a watcher. */
export interface Probe {
  readonly name: string
  /** Notifies watchers that this point is reached. Returns a promise only when a watcher holds the run here. */
  (): Promise<void> | undefined
}

export interface ProbeReached {
  readonly name: string
  /** A watcher puts a promise here to hold the run until it settles. */
  held: Promise<void> | undefined
}

export const probeChannel = channel('svc.probe')
const names = new Set<string>()

export function defineProbe(name: string): Probe {
  names.add(name)
  const probe = (): Promise<void> | undefined => {
    if (!probeChannel.hasSubscribers) return undefined
    const reached: ProbeReached = { name, held: undefined }
    probeChannel.publish(reached)
    return reached.held
  }
  return Object.defineProperty(probe, 'name', { value: name })
}

/** The names of every probe defined by the modules loaded so far. */
export function listProbes(): readonly string[] {
  return [...names].sort()
}
