/** `npm test`: all tests; with folders or files as arguments, exactly those. Other arguments go to vitest. */
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toFilters } from './test-filters.ts'

// The workers inherit both. Node's own directory, which `svc` uses too.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'node-compile-cache')
// As in cli/svc.js, for gateways that run in a worker.
process.env.UV_THREADPOOL_SIZE ??= '64'
process.argv.splice(2, Infinity, 'run', ...process.argv.slice(2).flatMap(toFilters))
await import('../node_modules/vitest/vitest.mjs' as string)
