/** I-47: the one writer of the states of replacements. Watchers hear of a change after its commit. */
import type { Clock, Log, Tx } from '#kernel'
import type { ReplacementChanges } from '../contract.ts'
import { addReplacement, changeReplacement, type NewReplacement, type ReplacementDetails } from './replacement-state-store.ts'
import type { ReplacementEventName } from './replacement-transitions-policy.ts'

export interface ReplacementStates {
  /** Inserts a replacement. */
  confirm(tx: Tx, row: NewReplacement): Promise<number>
  /** False, without changes, when its state does not take the event. */
  apply(tx: Tx, event: ReplacementEventName, id: number, details?: ReplacementDetails): Promise<boolean>
  /** Its items changed. */
  announce(tx: Tx, id: number): void
}

interface ReplacementStateDeps {
  readonly clock: Clock
  readonly log: Log
  readonly changes: ReplacementChangesSource
}

export interface ReplacementChangesSource extends ReplacementChanges {
  notify(replacementId: number): void
}

export function createReplacementStates({ clock, log, changes }: ReplacementStateDeps): ReplacementStates {
  const announce = (tx: Tx, id: number) => tx.afterCommit(() => changes.notify(id))
  return {
    announce,
    async confirm(tx, row) {
      const id = await addReplacement(tx, row, clock.now())
      announce(tx, id)
      const { bucketId, slot, sourceId, providerId, origin } = row
      tx.afterCommit(() =>
        log.info('replacement confirmed', { replacement: id, bucketId, slot, dataSet: sourceId, provider: providerId, origin }),
      )
      return id
    },
    async apply(tx, event, id, details = {}) {
      if (!(await changeReplacement(tx, event, id, { ...details, nowMs: clock.now() }))) return false
      announce(tx, id)
      const { reason, message } = details
      tx.afterCommit(() =>
        log.info('replacement changed', { replacement: id, event, ...(reason && { reason }), ...(message && { message }) }),
      )
      return true
    },
  }
}

/** A listener that throws is logged and kept. */
export function createReplacementChanges(log: Log): ReplacementChangesSource {
  const listeners = new Set<(replacementId: number) => void>()
  return {
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    notify(replacementId) {
      for (const listener of listeners) {
        try {
          listener(replacementId)
        } catch (error) {
          log.error('a watcher of replacements failed', { replacement: replacementId, error })
        }
      }
    },
  }
}
