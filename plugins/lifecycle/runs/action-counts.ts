import { defineService } from '#kernel'
import type { Counts } from './run-store.ts'

/** What the rules did since the process started. */
export class ActionCounts {
  readonly total: Record<keyof Counts, number> = { marked: 0, removed: 0, markersRemoved: 0, aborted: 0 }
  /** Whether rules rest because time passed unseen. */
  isResting = false

  add(counts: Counts): void {
    this.total.marked += counts.marked
    this.total.removed += counts.removed
    this.total.markersRemoved += counts.markersRemoved
    this.total.aborted += counts.aborted
  }
}

export const actionCounts = defineService<ActionCounts>('lifecycle.action-counts')
