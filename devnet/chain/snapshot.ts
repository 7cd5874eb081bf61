// Keeps the chain as it is after deployment, so that the next new devnet loads it instead of deploying again.
import { createHash, randomUUID } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { contractsDir } from '../contracts/source-hash.ts'
import { STATE_FILE } from './anvil.ts'
import { anvilVersion } from './anvil-package.ts'
import type { DeploymentTerms, DevnetContracts } from './deployment.ts'
import type { AnvilCall } from './rpc.ts'

/** Stands beside the installed anvil, so that a new installation starts without snapshots. */
const snapshotsDir = join(import.meta.dirname, '../../node_modules/.cache/svc-devnet')

/** The snapshot is stale when one of these files changes. */
const sources = ['deployment.ts', 'accounts.ts', 'abis.ts', 'rpc.ts', 'snapshot.ts', 'network-versions.ts'].map((name) =>
  join(import.meta.dirname, name),
)
const artifacts = join(contractsDir, 'artifacts.json')
const CONTRACTS_FILE = 'contracts.json'
/** One for each combination of terms, for some versions of the contracts. The oldest are deleted. */
const SNAPSHOTS_MAX = 20

/** The directory of the snapshot for these terms, whether it exists or not. */
export function snapshotDir(
  { network, legacyDataSets, provingPeriodEpochs, lockupPeriodEpochs }: DeploymentTerms,
  parent = snapshotsDir,
): string {
  const hash = createHash('sha256')
  // An installed package has no sources; its snapshots are in its own folder, which an upgrade replaces.
  for (const path of [...sources, artifacts].filter((path) => existsSync(path))) hash.update(readFileSync(path))
  hash.update(JSON.stringify([anvilVersion(), network, legacyDataSets, provingPeriodEpochs, lockupPeriodEpochs]))
  return join(parent, hash.digest('hex').slice(0, 32))
}

/** Copies the state to where anvil reads it. Returns the contracts of the chain; undefined when there is no snapshot. */
export function restoreSnapshot(dir: string, chainDir: string): DevnetContracts | undefined {
  mkdirSync(chainDir, { recursive: true })
  try {
    const contracts: DevnetContracts = JSON.parse(readFileSync(join(dir, CONTRACTS_FILE), 'utf8'))
    copyFileSync(join(dir, STATE_FILE), join(chainDir, STATE_FILE))
    return contracts
  } catch (error) {
    // Not stored yet, or deleted by another process just now.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Stores the current state of the chain. Keeps a snapshot that another process stored first. */
export async function storeSnapshot(dir: string, anvil: AnvilCall, contracts: DevnetContracts): Promise<void> {
  const dumped = String(await anvil('anvil_dumpState'))
  const unfinished = `${dir}.${randomUUID()}`
  mkdirSync(unfinished, { recursive: true })
  try {
    writeFileSync(join(unfinished, STATE_FILE), gunzipSync(Buffer.from(dumped.slice(2), 'hex')))
    writeFileSync(join(unfinished, CONTRACTS_FILE), JSON.stringify(contracts))
    renameSync(unfinished, dir)
    deleteOldest(dirname(dir))
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    if (!existsSync(dir)) throw error
  }
}

function deleteOldest(parent: string): void {
  const paths = readdirSync(parent).map((name) => join(parent, name))
  const ages = paths.map((path) => ({ path, mtimeMs: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
  const oldest = ages.sort((a, b) => b.mtimeMs - a.mtimeMs).slice(SNAPSHOTS_MAX)
  for (const { path } of oldest) rmSync(path, { recursive: true, force: true })
}
