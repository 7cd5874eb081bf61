/** What generated pages show of the storage. */
export { bodyMemoryBytes } from './cache/transfer/body-memory.ts'
