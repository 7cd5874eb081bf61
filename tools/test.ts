/** `npm test`: all tests; with folders or files as arguments, exactly those. Other arguments go to vitest. */
import { toFilters } from './test-filters.ts'

process.argv.splice(2, Infinity, 'run', ...process.argv.slice(2).flatMap(toFilters))
await import('../node_modules/vitest/vitest.mjs' as string)
