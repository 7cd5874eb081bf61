/** Memory of an idle devnet. Counts packages, because a size in memory would depend on the machine. */
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'

const modules = ['./devnet.ts', './control.ts'].map((path) => new URL(path, import.meta.url).href)
const script = `
  import { registerHooks } from 'node:module'
  const packages = new Set()
  registerHooks({ load: (url, context, next) => (packages.add(url.match(/.*node_modules\\/([^/]+)/)?.[1]), next(url, context)) })
  for (const url of ${JSON.stringify(modules)}) await import(url)
  process.stdout.write(JSON.stringify([...packages]))`

test('a devnet that has checked no request has not loaded the schema library', () => {
  const packages = JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }))
  expect(packages).toContain('viem')
  expect(packages).not.toContain('arktype')
})
