/** What generated pages show of replication. */
export { batchStates, creationStates, endingStates, removalStates } from './submissions/row-states-policy.ts'
