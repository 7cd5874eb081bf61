/** Internal services of this plugin. */
import { defineService } from '#kernel'
import type { ReplacementChangesSource, ReplacementStates } from './states/replacement-states.ts'

export const replacementStates = defineService<ReplacementStates>('replacement.states')
export const changesSource = defineService<ReplacementChangesSource>('replacement.changes-source')
