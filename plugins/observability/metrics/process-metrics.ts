import { collectDefaultMetrics, Registry } from 'prom-client'

let registry: Registry | undefined

/** CPU, memory, garbage collection and event loop of this process. Shared by all pages: prom-client cannot remove its observers. */
export function processMetrics(): Registry {
  if (registry === undefined) {
    registry = new Registry()
    collectDefaultMetrics({ register: registry })
  }
  return registry
}
