import { defineExtensionPoint } from '../core/extension-point.ts'
import { defineService } from '../core/service.ts'

/** Notifications for observers (the dashboard's stream, tests). The service's own work never depends on them. */
interface EventKind<P> {
  readonly topic: string
  readonly P?: P
}

export interface PublishedEvent {
  readonly topic: string
  readonly payload: object
}

interface Watching {
  /** Default: always. */
  isWatching(): boolean
  /** Events happened while no subscriber was watching. */
  skipped(): void
}

export interface Events {
  publish<P extends object>(kind: EventKind<P>, payload: P): void
  /** False: no subscriber would use a payload. A publisher whose payloads need statements calls `skip` instead of `publish`. */
  isWatched(): boolean
  skip(): void
  /** The returned function ends the subscription. A listener must not throw; one that does is logged and kept. */
  subscribe(listener: (event: PublishedEvent) => void, watching?: Watching): () => void
}

export const events = defineService<Events>('kernel.events')
// biome-ignore lint/suspicious/noExplicitAny: kinds differ in their payload
export const eventKinds = defineExtensionPoint<EventKind<any>>('events.kinds')

export function defineEvent<P extends object>(topic: string): EventKind<P> {
  return { topic }
}

export function createEvents(onListenerError: (error: unknown) => void): Events {
  const listeners = new Map<(event: PublishedEvent) => void, Watching | undefined>()
  return {
    isWatched: () => [...listeners.values()].some((watching) => watching?.isWatching() ?? true),
    skip() {
      for (const watching of listeners.values()) watching?.skipped()
    },
    publish(kind, payload) {
      for (const listener of listeners.keys()) {
        try {
          listener({ topic: kind.topic, payload })
        } catch (error) {
          // A failing listener must not stop the publisher or the other listeners.
          onListenerError(error)
        }
      }
    },
    subscribe(listener, watching) {
      listeners.set(listener, watching)
      return () => void listeners.delete(listener)
    },
  }
}
