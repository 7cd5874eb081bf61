/** CPU limits per test file, in seconds of its worker and its child processes, on two idle cores. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Higher limits by path, each with the reason. */
const allowances: Readonly<Record<string, number>> = {
  // 37 starts of a gateway, one per probe, most with four objects on three providers.
  'e2e/crash/crash.test.ts': 180,
  // A process for each payment, and two starts of a gateway.
  'e2e/crash/wallet-payments.test.ts': 60,
  // Three kills, each with a restart and uploads of 32 MiB.
  'e2e/crash/speed-test.test.ts': 25,
  // 33 starts of a gateway: two for each probe of each kind of operation.
  'e2e/crash/wallet-operations.test.ts': 60,
  // A hundred S3 clients in the test process.
  'e2e/reading/warm-cache.test.ts': 15,
  // The largest object goes through the gateway and to three providers.
  'e2e/load/upload-memory.test.ts': 110,
  // Large bodies at the same time, on hashing threads.
  'plugins/storage/cache/transfer/transfers.test.ts': 7,
  // Attackers in a process of their own keep a gateway busy for 20 s.
  'e2e/load/flood.test.ts': 60,
  // A thousand connections, and 200 readers of a large object.
  'e2e/load/client-memory.test.ts': 15,
  // Each scenario breaks its own network, with a gateway of its own.
  'e2e/faults/faults.test.ts': 35,
  'e2e/faults/data-sets.test.ts': 28,
  // A gateway and its devnet in the test process, and fourteen page loads with axe.
  'e2e/ui/packs.test.ts': 20,
  // `svc dev` has a devnet of its own.
  'e2e/packs/default.test.ts': 25,
  // Each kill needs a start; removals take a proving period.
  'e2e/removal/removal.test.ts': 45,
  'e2e/costs/receipts.test.ts': 25,
  'e2e/removal/bucket-deletion.test.ts': 95,
  // 500 objects wait for one provider.
  'e2e/hostile/hanging-provider.test.ts': 35,
  'e2e/replication/replication.test.ts': 25,
  // 17 starts of a gateway, one per probe.
  'e2e/replication/replica-slots.test.ts': 65,
  // Every case on both engines.
  'plugins/replication/resumption/resume-work.test.ts': 6,
  'plugins/replication/shortfall/shortfall.test.ts': 6,
  // 1,200 steps of random walks.
  'plugins/replacement/testing/walk.test.ts': 8,
  // 19 starts of a gateway, one per probe, while its bucket is read and written.
  'e2e/replacement/crash.test.ts': 100,
  // Two starts of a gateway for each of two probes, and the end of a service.
  'e2e/replacement/upkeep-crash.test.ts': 25,
  // Four gateways, each with a devnet of its own for its faults.
  'e2e/replacement/replacement.test.ts': 25,
  'e2e/replacement/retirement.test.ts': 25,
  'e2e/replacement/target.test.ts': 25,
  // Two seeds of random kills.
  'e2e/chaos/chaos.test.ts': 40,
  // One seed with replacements, each with the end of a service, and three starts of a gateway.
  'e2e/chaos/moves.test.ts': 40,
  // One seed, with packs.
  'e2e/chaos/packed-chaos.test.ts': 40,
  'e2e/eviction/eviction.test.ts': 25,
  // A devnet in a process, and two uploads of 32 MiB.
  'e2e/cli/observability.test.ts': 15,
  // 20 and 9 starts of a gateway, one per probe.
  'e2e/packs/packs-crash.test.ts': 80,
  'e2e/packs/stored-crash.test.ts': 60,
  // A replacement, and the loss of a piece, each with a devnet of its own.
  'e2e/packs/packs-providers.test.ts': 20,
  // 200 MiB with each client library and command line program.
  'e2e/clients/sdk.test.ts': 30,
  'e2e/clients/command-line.test.ts': 30,
  // A process for each step of a round.
  'e2e/clients/rounds.test.ts': 20,
  // Storage work in every state, on a real chain.
  'e2e/api/deletions.test.ts': 15,
  'e2e/api/versions.test.ts': 15,
  'e2e/hostile/clock-steps.test.ts': 18,
  'e2e/hostile/deep-reorg.test.ts': 15,
  'e2e/hostile/hostile-answers.test.ts': 12,
  'e2e/hostile/two-gateways.test.ts': 20,
  'e2e/hostile/unread-remote-readers.test.ts': 12,
  // Lists of 20,000 rows in 17 orders.
  'e2e/load/list-walks.test.ts': 25,
  // Restarts are the subject.
  'e2e/api/setup-mode.test.ts': 15,
  'cli/commands/serve-command.test.ts': 18,
  'plugins/storage/cache/fills/fill-crash.test.ts': 15,
  'plugins/storage/objects/put-crash.test.ts': 15,
  'plugins/storage/packs/pack-crash.test.ts': 8,
  // Random ranges of damaged files of megabytes.
  'plugins/storage/objects/ranged-reads.test.ts': 9,
  // Contents of megabytes, so that a fill has many writes.
  'plugins/storage/cache/fills/fills.test.ts': 14,
  // Random runs against a real database and real files.
  'plugins/s3/operations/bucket-model.test.ts': 14,
  'plugins/s3/server/fuzz.test.ts': 14,
  'plugins/s3/server/form-fuzz.test.ts': 6,
  'plugins/storage/cache/fills/fill-races.test.ts': 9,
  // Makes and installs the package and a later one, with the types of all pages, and starts its gateway and chain twice.
  'e2e/package/package.test.ts': 110,
  // Each of 30 damages is found, repaired and looked for again.
  'e2e/cli/doctor.test.ts': 25,
  // Ends with svc doctor, which compares everything.
  'e2e/hostile/bit-rot.test.ts': 15,
  // A process for each probe of uploads in parts and of copies.
  'plugins/storage/uploads/multipart-crash.test.ts': 30,
  // A chain for the commands that pay.
  'e2e/cli/json.test.ts': 35,
  'e2e/cli/wallet.test.ts': 25,
  'e2e/cli/readme.test.ts': 20,
  'cli/dev/dev-command.test.ts': 20,
  // Every state of copy, batch and data set, with every event.
  'plugins/replication/testing/states-model.test.ts': 14,
  // Three gateways, one of them as that of another checkout.
  'bench/put-get.test.ts': 40,
  // A gateway on a devnet whose blocks take a second.
  'bench/replacement/move-contents.test.ts': 20,
  // Three devnets, each with a gateway.
  'bench/packs/packing.test.ts': 40,
  // A browser with some twenty pages, and the build of the dashboard.
  'e2e/ui/shell.test.ts': 60,
  // A browser with some forty pages, and a network whose provider misses proofs.
  'e2e/ui/health.test.ts': 60,
  // A browser, and the build of the dashboard if no other file built it.
  'e2e/ui/operations.test.ts': 45,
  // A browser with some forty pages.
  'e2e/ui/buckets.test.ts': 60,
  // Replacements of buckets on a devnet with six providers, each with the end of a service.
  'e2e/api/replacements.test.ts': 45,
  'e2e/api/replacement-obstacles.test.ts': 100,
  // A browser with some forty pages.
  'e2e/ui/replacements.test.ts': 60,
  // A browser with some fifteen pages.
  'e2e/ui/repairs.test.ts': 40,
  // A browser, and a devnet on which a replica moves.
  'e2e/ui/replacement-devnet.test.ts': 50,
  // A browser with some fifteen pages, and a service with lists of 10,000 rows.
  'e2e/ui/objects.test.ts': 40,
  // A browser, a build of the dashboard, and a service that starts three times.
  'e2e/ui/restart.test.ts': 35,
  // Every page for two roles, and a click on everything that one of them is offered.
  'e2e/ui/roles.test.ts': 60,
  // A browser with some fifteen pages, and a press of a key for each of 91 rows.
  'e2e/ui/lists.test.ts': 40,
  // Eight jobs of an operator in a browser, with buckets of 130 objects.
  'e2e/ui/jobs.test.ts': 40,
  // A browser in which an operator does 25 jobs, and a devnet with copies of five buckets.
  'e2e/ui/clicks.test.ts': 35,
  // A browser with some twenty pages, and a devnet whose provider refuses.
  'e2e/ui/truth.test.ts': 25,
  // A browser with some forty pages, and a devnet.
  'e2e/ui/wallet.test.ts': 60,
  // A browser, and a service that starts again.
  'e2e/ui/settings.test.ts': 25,
  // Hashes hundreds of MiB.
  'plugins/replication/pieces/piece-calculator.test.ts': 8,
}

const root = fileURLToPath(new URL('..', import.meta.url))

/** Folders whose tests start processes or wait for a chain. */
const waitingFolders = ['e2e', 'devnet', 'cli/dev', 'bench']

/** Files elsewhere that start processes, such as the chain of a devnet or PostgreSQL. */
const waitingFiles = [
  'cli/compile-cache.test.ts',
  'cli/loaded-modules.test.ts',
  'cli/commands/serve-command.test.ts',
  'cli/svc.test.ts',
  'kernel/start/offline-doctor.test.ts',
  'kernel/start/upgrade-copies.test.ts',
  'kernel/process/start-thread.test.ts',
  'kernel/db/postgres/lost-commit.test.ts',
  'kernel/db/postgres/open-postgres.test.ts',
  'kernel/db/postgres/pooler.test.ts',
  'kernel/db/postgres/server-policy.test.ts',
  'plugins/replication/chain/devnet.test.ts',
  'plugins/storage/cache/fills/fill-crash.test.ts',
  'plugins/storage/cache/fills/lost-connections.test.ts',
  'plugins/replication/doctor/both-engines.test.ts',
  'plugins/storage/objects/put-crash.test.ts',
  'plugins/storage/packs/pack-crash.test.ts',
  'plugins/storage/uploads/multipart-crash.test.ts',
  'plugins/wallet/chain/devnet.test.ts',
  'plugins/wallet/commands/commands.test.ts',
  'plugins/providers/commands/provider-timeout.test.ts',
  'plugins/wallet/funding/wallet-setup.test.ts',
  'plugins/wallet/readiness/readiness-routes.test.ts',
  'tools/checks/check-entities.test.ts',
]

const waitingFileSeconds = 10
const computingFileSeconds = 4

/** Slow files that only named folders or files run: small runs of benchmarks, seeds of random faults, and large loads. See docs/adr/0104. */
export const longTests = [
  'bench/packs/packing.test.ts',
  'bench/pipeline.test.ts',
  'bench/put-get.test.ts',
  'bench/replacement/move-contents.test.ts',
  'bench/s3-operations.test.ts',
  'e2e/chaos/chaos.test.ts',
  'e2e/chaos/moves.test.ts',
  'e2e/chaos/packed-chaos.test.ts',
  'e2e/load/list-walks.test.ts',
  'e2e/load/upload-memory.test.ts',
]

/** Globs of the tests that wait, for the project `waiting`. */
export const waitingTests = [...waitingFolders.map((folder) => `${folder}/**/*.test.ts`), ...waitingFiles]

/** Tests of them that also run on the local network as it was before the upgrade of September 2026. */
export const earlierNetworkTests = [
  'devnet/money.test.ts',
  'devnet/storing.test.ts',
  'e2e/replication/replication.test.ts',
  'plugins/replication/chain/devnet.test.ts',
]

/** Globs of the tests that compute, in the project `computing`, except for those that wait. */
export const computingTests = ['{kernel,plugins,cli,tools,examples,ui}/**/*.test.ts']

/** Globs of the tests that render components of the dashboard, for the project `rendering`. */
export const renderingTests = ['{ui,plugins/*/ui,examples/*/ui}/**/*.test.tsx']

/** The computing tests with `describeOnEngines`: the project `computing` runs them on SQLite, `postgres` on PostgreSQL. */
export const findEngineTests = (): readonly string[] =>
  globSync(computingTests, { cwd: root })
    .filter((path) => !isWaiting(path) && readFileSync(join(root, path), 'utf8').includes('describeOnEngines('))
    .sort()

export const isWaiting = (path: string): boolean =>
  waitingFiles.includes(path) || waitingFolders.some((folder) => path.startsWith(`${folder}/`))

/** @param path relative to the project root */
export const allowedSeconds = (path: string): number => allowances[path] ?? (isWaiting(path) ? waitingFileSeconds : computingFileSeconds)

export const allowedFiles: readonly string[] = Object.keys(allowances)
