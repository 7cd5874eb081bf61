/** What generated pages show of the wallet. */
export { operationStates } from './operations/operation-store.ts'
export { type AttemptEventName, attemptEvents, attemptStates, type StateNames, transitions } from './submissions/transition-policy.ts'
