/** What generated pages show of replication. */
export { endedRemovalStates } from './holdings/open-removals-store.ts'
export { batchEvents } from './states/tables/batch-transitions-policy.ts'
export { copyEffects, copyEvents } from './states/tables/copy-transitions-policy.ts'
export { dataSetEffects, dataSetEvents } from './states/tables/data-set-transitions-policy.ts'
export { batchStates, creationStates, endingStates, removalStates } from './submissions/row-states-policy.ts'
