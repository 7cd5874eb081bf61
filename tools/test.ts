/** `npm test`: all tests; with folders or files as arguments, exactly those. Other arguments go to vitest. */
import { toFilters } from './test-filters.ts'

const { privateCompileCache } = await import('../cli/compile-cache.js' as string)
const compileCache: string | undefined = privateCompileCache()
// The workers inherit both variables.
if (compileCache !== undefined) process.env.NODE_COMPILE_CACHE ??= compileCache
// The same number as in cli/svc.js, for gateways that run in a worker.
process.env.UV_THREADPOOL_SIZE ??= '64'
process.argv.splice(2, Infinity, 'run', ...process.argv.slice(2).flatMap(toFilters))
await import('../node_modules/vitest/vitest.mjs' as string)
