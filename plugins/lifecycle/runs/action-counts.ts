import { defineService } from '#kernel'
import type { LifecycleState } from '#plugins/s3'
import type { Counts } from './run-store.ts'

/** What the rules did since the process started. */
export class ActionCounts {
  readonly total: Record<keyof Counts, number> = { marked: 0, removed: 0, markersRemoved: 0, aborted: 0 }
  /** Why rules rest, as of the latest look at the clock. */
  rest: NonNullable<LifecycleState['rest']>['reason'] | undefined

  get isResting(): boolean {
    return this.rest !== undefined
  }

  add(counts: Counts): void {
    this.total.marked += counts.marked
    this.total.removed += counts.removed
    this.total.markersRemoved += counts.markersRemoved
    this.total.aborted += counts.aborted
  }
}

export const actionCounts = defineService<ActionCounts>('lifecycle.action-counts')
