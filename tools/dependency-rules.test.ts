/** Breaks rules of `.dependency-cruiser.cjs` in a small tree of files with the names of the project. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const dir = mkdtempSync(join(tmpdir(), 'svc-rules-'))
afterAll(() => rmSync(dir, { recursive: true }))

/** Importing file, imported file, and the rule that forbids it; undefined: allowed. */
const imports = [
  ['kernel/config/a.ts', 'kernel/http/b.ts', 'floors-of-kernel'],
  ['kernel/http/a.ts', 'kernel/config/b.ts', undefined],
  ['kernel/core/container.ts', 'kernel/config/c.ts', 'floors-of-kernel'],
  ['kernel/errors.ts', 'kernel/config/d.ts', 'floors-of-kernel'],
  ['kernel/auth/a.ts', 'kernel/errors.ts', undefined],
  ['kernel/helpers.ts', 'kernel/errors.ts', 'unlisted-floor-of-kernel'],
  ['kernel/core/plugin.ts', 'plugins/s3/contract.ts', 'kernel-knows-no-plugin'],
  ['kernel/command.ts', 'cli/index.ts', 'kernel-knows-no-plugin'],
  ['cli/client/a.ts', 'cli/dev/b.ts', 'floors-of-cli'],
  ['cli/main.ts', 'kernel/host.ts', undefined],
  ['plugins/s3/wire/a.ts', 'plugins/s3/auth/b.ts', 'floors-of-plugins/s3'],
  ['plugins/s3/auth/a.ts', 'plugins/s3/wire/b.ts', undefined],
  ['plugins/s3/wire/d.ts', 'plugins/s3/documents/e.ts', 'floors-of-plugins/s3'],
  ['plugins/s3/documents/a.ts', 'plugins/s3/auth/d.ts', 'floors-of-plugins/s3'],
  ['plugins/s3/auth/e.ts', 'plugins/s3/operations/f.ts', 'floors-of-plugins/s3'],
  ['plugins/s3/operations/objects/a.ts', 'plugins/s3/server/b.ts', 'floors-of-plugins/s3'],
  ['plugins/s3/operations/objects/c.ts', 'plugins/s3/operations/table/d.ts', 'floors-of-plugins/s3/operations'],
  ['plugins/s3/operations/buckets/a.ts', 'plugins/s3/operations/objects/d.ts', 'floors-of-plugins/s3/operations'],
  ['plugins/s3/operations/multipart/a.ts', 'plugins/s3/operations/objects/e.ts', undefined],
  ['plugins/s3/operations/attic/a.ts', 'plugins/s3/operations/listing/c.ts', 'unlisted-floor-of-plugins/s3/operations'],
  ['plugins/s3/settings.ts', 'plugins/s3/wire/e.ts', 'floors-of-plugins/s3'],
  ['plugins/s3/plugin.ts', 'plugins/s3/server/f.ts', undefined],
  ['plugins/s3/attic.ts', 'plugins/s3/wire/f.ts', 'unlisted-floor-of-plugins/s3'],
  ['plugins/s3/attic/a.ts', 'plugins/s3/wire/c.ts', 'unlisted-floor-of-plugins/s3'],
  ['plugins/admin/buckets/a.ts', 'plugins/admin/overview/b.ts', 'floors-of-plugins/admin'],
  ['plugins/wallet/chain/a.ts', 'plugins/wallet/funding/b.ts', 'floors-of-plugins/wallet'],
  ['plugins/wallet/submissions/a.ts', 'plugins/wallet/chain/b.ts', 'floors-of-plugins/wallet'],
  ['plugins/replication/submissions/a.ts', 'plugins/wallet/submissions/b.ts', 'plugin-sees-plugin-by-contract'],
  ['plugins/storage/catalog/buckets/a.ts', 'plugins/wallet/contract.ts', 'storage-attaches-to-nothing'],
  ['plugins/storage/objects/a.ts', 'plugins/replication/contract.ts', 'storage-attaches-to-nothing'],
  ['plugins/replication/copies/placing/a.ts', 'plugins/replacement/contract.ts', 'replication-attaches-to-storage-wallet-and-providers'],
  ['plugins/providers/inventory/a.ts', 'plugins/replication/contract.ts', 'providers-know-no-contents'],
  ['plugins/wallet/readiness/a.ts', 'plugins/providers/contract.ts', 'wallet-knows-no-contents'],
  ['plugins/replication/copies/placing/b.ts', 'plugins/storage/contract.ts', undefined],
  ['plugins/replication/copies/records/c-entity.ts', 'plugins/storage/entities.ts', undefined],
  ['plugins/replication/copies/records/d-entity.ts', 'plugins/storage/catalog/entities/a-entity.ts', 'entity-sees-plugin-by-entities'],
  ['plugins/replication/copies/records/e-store.ts', 'plugins/storage/entities.ts', 'plugin-sees-plugin-by-contract'],
  ['plugins/wallet/funding/a.ts', 'plugins/storage/contract.ts', 'wallet-knows-no-contents'],
  ['plugins/s3/operations/objects/q.ts', 'plugins/replication/contract.ts', 's3-needs-only-storage'],
  ['plugins/storage/catalog/buckets/c.ts', 'plugins/storage/objects/d.ts', 'floors-of-plugins/storage'],
  ['plugins/storage/catalog/entities/bucket.ts', 'plugins/storage/settings.ts', 'floors-of-plugins/storage'],
  ['plugins/replication/datasets/e-entity.ts', 'plugins/replication/datasets/f-store.ts', 'floors-of-plugins/replication'],
  ['bench/a.ts', 'plugins/s3/server/g.ts', 'program-enters-plugin-by-its-doors'],
  ['e2e/api/b.test.ts', 'plugins/admin/objects/g.ts', 'program-enters-plugin-by-its-doors'],
  ['e2e/api/c.test.ts', 'plugins/admin/api.ts', undefined],
  ['devnet/provider/d.ts', 'plugins/replication/pieces/g.ts', 'program-enters-plugin-by-its-doors'],
  ['tools/e.ts', 'plugins/s3/operations/table/g.ts', 'program-enters-plugin-by-its-doors'],
  ['tools/f.ts', 'plugins/s3/docs.ts', undefined],
  ['cli/doctor/g.ts', 'plugins/admin/doctor/h.ts', 'program-enters-plugin-by-its-doors'],
  ['cli/doctor/h.ts', 'plugins/index.ts', undefined],
  ['plugins/storage/cache/blobs/a.ts', 'plugins/storage/cache/fills/b.ts', 'floors-of-plugins/storage/cache'],
  ['plugins/storage/cache/blobs/b.ts', 'plugins/storage/cache/transfer/body-memory.ts', 'transfers-by-their-door'],
  ['plugins/storage/cache/blobs/c.ts', 'plugins/storage/cache/transfer/transfers.ts', undefined],
  ['plugins/storage/catalog/cached/a.ts', 'plugins/storage/catalog/versions/b.ts', 'floors-of-plugins/storage/catalog'],
  ['plugins/admin/objects/a.ts', 'cli/index.ts', 'cli-door-is-for-commands'],
  ['plugins/admin/commands/a.ts', 'cli/index.ts', undefined],
  ['plugins/admin/commands/b.ts', 'cli/client/c.ts', 'plugin-sees-cli-by-its-door'],
  ['plugins/admin/system/a.ts', 'kernel/host.ts', 'host-door-is-for-programs'],
  ['plugins/admin/system/b.ts', 'kernel/system.ts', undefined],
  ['examples/hello/a.ts', 'kernel/host.ts', 'host-door-is-for-programs'],
  ['examples/hello/b.ts', 'kernel/core/clock.ts', 'plugin-sees-kernel-by-its-door'],
  ['examples/hello/c.ts', 'plugins/storage/contract.ts', undefined],
  ['examples/hello/d.ts', 'plugins/storage/settings.ts', 'example-sees-plugin-by-door'],
  ['examples/hello/e.ts', 'plugins/index.ts', 'host-door-is-for-programs'],
  ['plugins/tasks/ui/a.ts', 'ui/src/kit.ts', undefined],
  ['plugins/tasks/ui/b.ts', 'ui/src/data/call.ts', 'page-sees-kit-by-its-door'],
  ['plugins/tasks/ui/c.ts', 'plugins/wallet/ui/d.ts', 'page-sees-kit-by-its-door'],
  ['plugins/tasks/ui/e.ts', 'plugins/tasks/task-api.ts', 'ui-sees-contracts-as-types'],
  ['examples/hello/ui/f.ts', 'kernel/index.ts', 'ui-sees-contracts-as-types'],
  ['ui/src/data/g.ts', 'kernel/system.ts', 'ui-sees-contracts-as-types'],
  ['ui/src/shell/h.ts', 'plugins/tasks/ui/i.ts', 'ui-names-no-plugin'],
  ['ui/build/j.ts', 'kernel/config/k.ts', 'ui-build-sees-kernel-by-its-doors'],
  ['ui/build/l.ts', 'kernel/host.ts', undefined],
  ['plugins/tasks/ledger/m.ts', 'plugins/tasks/ui/n.ts', 'server-never-reaches-ui'],
  ['cli/client/o.ts', 'ui/build/p.ts', 'server-never-reaches-ui'],
] as const

interface Found {
  readonly summary: { readonly violations: readonly { from: string; to: string; rule: { name: string; severity: string } }[] }
}

test('each rule about doors, floors and plugins rejects an import that breaks it, also of a type', () => {
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(dir, file)), { recursive: true })
    writeFileSync(join(dir, file), text)
  }
  for (const [, to] of imports) write(to, 'export interface Thing {}\nexport const thing = 1\n')
  for (const [from, to, rule] of imports) {
    const path = relative(dirname(from), to)
    const place = `'${path.startsWith('.') ? path : `./${path}`}'`
    // Types of the service are allowed.
    const isValue = rule === 'ui-sees-contracts-as-types'
    write(from, isValue ? `export { thing as own } from ${place}\n` : `import type { Thing } from ${place}\nexport type Own = Thing\n`)
  }
  write('kernel/tasks/one.ts', "import type { Two } from './two.ts'\nexport interface One { readonly two?: Two }\n")
  write('kernel/tasks/two.ts', "import type { One } from './one.ts'\nexport interface Two { readonly one?: One }\n")
  write('tsconfig.json', '{ "compilerOptions": { "module": "nodenext", "allowImportingTsExtensions": true, "noEmit": true } }')
  write('package.json', '{ "type": "module" }')
  const cruiser = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs')
  const args = [
    cruiser,
    '--config',
    join(root, '.dependency-cruiser.cjs'),
    '--output-type',
    'json',
    'kernel',
    'cli',
    'plugins',
    'examples',
    'ui',
    'bench',
    'e2e',
    'devnet',
    'tools',
  ]
  const { summary } = JSON.parse(execFileSync(process.execPath, args, { cwd: dir, encoding: 'utf8' })) as Found
  const broken = (from: string, to: string) =>
    summary.violations.filter((found) => found.from === from && found.to === to).map((found) => found.rule.name)
  expect(imports.map(([from, to]) => [from, to, broken(from, to)])).toEqual(
    imports.map(([from, to, rule]) => [from, to, rule === undefined ? [] : [rule]]),
  )
  expect(broken('kernel/tasks/one.ts', 'kernel/tasks/two.ts'), 'a circle of types').toEqual(['no-cycles'])
})
