import { defineExtensionPoint } from '../core/extension-point.ts'
import type { Resolved, Uses } from '../core/service.ts'

/** A server besides the Admin listener, such as the S3 API. Started after all services, stopped before them. */
interface Listener<U extends Uses = Uses> {
  readonly name: string
  readonly uses: U
  /** Resolves once connections are accepted. `stop` refuses new ones, lets running requests finish within the limit, then aborts them. */
  start(services: Resolved<U>): Promise<RunningListener>
}

export interface RunningListener {
  /** URL such as `http://127.0.0.1:8080`. */
  readonly url: string
  stop(): Promise<void>
}

export const listeners = defineExtensionPoint<Listener>('http.listeners')

export const defineListener = <const U extends Uses>(spec: Listener<U>): Listener => spec
